/** The script for bash, which works from 3.2 on, as macOS has it, and needs no other package. */
import { type OfferedCommand, type Offers, optionsOf, optionsWithValue, valueKind } from './offers.ts';

const flags = (options: readonly { name: string }[]) => options.map(({ name }) => `--${name}`).join(' ');

export function bashScript(offers: Offers): string {
  const values = [...optionsWithValue(offers)];
  const named = (kind: unknown) => values.flatMap(([name, value]) => (value === kind ? [`--${name}`] : [])).join('|');
  const chosen = values.flatMap(([name, value]) =>
    Array.isArray(value) ? [`    --${name}) words='${value.join(' ')}'; kind=none ;;`] : [],
  );
  return `# Completes the words of viber in bash. In ~/.bashrc: source <(viber completion bash)
_viber() {
  local IFS=$' \\t\\n' cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at= command= verb= words= kind=
  COMPREPLY=()
  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for ((at = 1; at < COMP_CWORD; at++)); do
    case \${COMP_WORDS[at]} in
      ${values.map(([name]) => `--${name}`).join('|')}) at=$((at + 1)); [[ \${COMP_WORDS[at]} == = ]] && at=$((at + 1)) ;;
      -*) ;;
      *) if [[ -z $command ]]; then command=\${COMP_WORDS[at]}; elif [[ -z $verb ]]; then verb=\${COMP_WORDS[at]}; fi ;;
    esac
  done
  case $prev in
    ${named('file')}) kind=file ;;
    ${named('folder')}) kind=folder ;;
    ${named('none')}) kind=none ;;
${chosen.join('\n')}
  esac
  if [[ -z $kind ]]; then
    case $command in
      '') words='${[...offers.commands.map(({ name }) => name), 'help'].join(' ')} ${flags(offers.options)}'; kind=none ;;
      help) words='${offers.commands.map(({ name }) => name).join(' ')}'; kind=none ;;
${offers.commands.map(bashCase).join('\n')}
    esac
  fi
  [[ $cur == -* ]] && kind=none
  case $kind in
    file) ;;
    folder) while IFS= read -r at; do COMPREPLY+=("$at"); done < <(compgen -d -- "$cur"); compopt -o filenames 2>/dev/null ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$cur")); compopt +o default +o bashdefault 2>/dev/null ;;
  esac
  return 0
}
complete -o bashdefault -o default -F _viber viber`;
}

function bashCase(command: OfferedCommand): string {
  const { name, verbs, value } = command;
  if (verbs.length === 0) return `      ${name}) words='${flags(command.options)}'; kind=${valueKind(value)} ;;`;
  const rows = verbs.map(
    (verb) => `        ${verb.name}) words='${flags(optionsOf(command, verb.name))}'; kind=${valueKind(verb.value)} ;;`,
  );
  const first = `        *) words='${verbs.map((verb) => verb.name).join(' ')} ${flags(command.options)}'; kind=none ;;`;
  return [`      ${name}) case $verb in`, ...rows, first, '      esac ;;'].join('\n');
}
