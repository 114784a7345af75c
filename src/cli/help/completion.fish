function __drover_command
    set -l command drover
    set -l is_value no
    set -l words (commandline -opc)
    set -e words[1]
    for word in $words
        if test $is_value = yes
            set is_value no
            continue
        end
        switch $word
            case '--*=*'
            case '-*'
                if contains -- "$command $word" $__drover_options_with_value
                    set is_value yes
                end
            case '*'
                if contains -- "$command $word" $__drover_commands
                    set command "$command $word"
                end
        end
    end
    echo $command
end

function __drover_at
    test (__drover_command) = "$argv"
end

complete -c drover -f
