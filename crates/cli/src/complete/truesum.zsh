#compdef truesum
# zsh completion for truesum: the candidates come from the program itself.
_truesum() {
    local names line word
    local -a lines described
    lines=("${(@f)$("${words[1]}" __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
    names=${lines[1]:-files}
    for line in "${(@)lines[2,-1]}"; do
        [[ -n $line ]] || continue
        word=${line%%$'\t'*}
        described+=("${word//:/\\:}:${line#*$'\t'}")
    done
    case $names in
        others)
            _describe -V -t manifests manifest described
            _files
            ;;
        files)
            (( ${#described} )) && _describe -t commands command described
            _files
            ;;
        folders) _path_files -/ ;;
        *) (( ${#described} )) && _describe -V -t values value described ;;
    esac
}
if [[ $funcstack[1] == _truesum ]]; then
    _truesum "$@"
else
    compdef _truesum truesum
fi
