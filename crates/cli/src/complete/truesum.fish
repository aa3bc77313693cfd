# fish completion for truesum: the program prints a line with the kind of file names that fit, then words with descriptions.
function __truesum_lines
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    $words[1] __complete $words[2..-1] "$current" 2>/dev/null
end
function __truesum_words
    set -l lines (__truesum_lines)
    if test (count $lines) -gt 1
        printf '%s\n' $lines[2..-1]
    end
    if test "$lines[1]" = folders
        __fish_complete_directories (commandline -ct)
    end
end
function __truesum_files
    set -l lines (__truesum_lines)
    contains -- "$lines[1]" files others
end
complete -c truesum -f -k -a '(__truesum_words)'
complete -c truesum -F -n __truesum_files
