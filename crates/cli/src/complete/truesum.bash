# bash completion for truesum: the candidates come from the program itself.
_truesum() {
    local current=${COMP_WORDS[COMP_CWORD]} names word about width=0 listing=
    local -a lines=()
    mapfile -t lines < <("${COMP_WORDS[0]/#\~/$HOME}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    names=${lines[0]:-files}
    COMPREPLY=()
    # In a list, show the description of each word.
    [[ $COMP_TYPE == 63 || $COMP_TYPE == 33 || $COMP_TYPE == 64 ]] && (( ${#lines[@]} > 2 )) && [[ $names == nothing ]] && listing=1
    if [[ $listing ]]; then
        for word in "${lines[@]:1}"; do
            word=${word%%$'\t'*}
            (( ${#word} > width )) && width=${#word}
        done
    fi
    for word in "${lines[@]:1}"; do
        about=${word#*$'\t'}
        word=${word%%$'\t'*}
        if [[ $listing && $about ]]; then
            printf -v word '%-*s  (%s)' "$width" "$word" "${about:0:$(( ${COLUMNS:-80} > width + 8 ? ${COLUMNS:-80} - width - 8 : 0 ))}"
        fi
        COMPREPLY+=("$word")
    done
    case $names in
        files | others)
            compopt -o filenames 2>/dev/null
            [[ $names == others ]] && compopt -o nosort 2>/dev/null
            local seen=" ${COMPREPLY[*]} "
            while IFS= read -r word; do
                [[ $seen == *" $word "* ]] || COMPREPLY+=("$word")
            done < <(compgen -f -- "$current")
            ;;
        folders)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -d -- "$current")
            ;;
        *)
            # No space after `--option=`, because its value follows.
            [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
            compopt -o nosort 2>/dev/null
            ;;
    esac
}
complete -F _truesum truesum
