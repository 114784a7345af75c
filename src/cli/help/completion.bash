_drover() {
  local current=${COMP_WORDS[COMP_CWORD]} command=drover option='' word i
  local kind words options commands
  COMPREPLY=()
  # bash cuts --option=value into three words.
  [[ $current == '=' ]] && current=''
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    if [[ $word == '=' ]]; then
      continue
    elif [[ -n $option ]]; then
      option=''
    elif [[ $word == -- ]]; then
      _drover_files -f
      return
    elif [[ $word == -* ]]; then
      _drover_value "$command $word"
      [[ $kind != none ]] && option=$word
    elif _drover_is_command "$command $word"; then
      command+=" $word"
    fi
  done
  if [[ -n $option ]]; then
    _drover_value "$command $option"
  else
    _drover_command "$command"
    if [[ $current == -* ]]; then
      kind=text words=$options
    elif [[ -n $commands ]]; then
      kind=text words=$commands
    fi
  fi
  case $kind in
    file) _drover_files -f ;;
    folder) _drover_files -d ;;
  esac
  # The words have no spaces in them, and the shell no pattern to expand: they are all letters.
  COMPREPLY+=($(compgen -W "$words" -- "$current"))
}

_drover_files() {
  local file
  compopt -o filenames 2>/dev/null
  while IFS= read -r file; do
    COMPREPLY+=("$file")
  done < <(compgen "$1" -- "$current")
}

complete -F _drover drover
