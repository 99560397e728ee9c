/** The script for zsh. */
import { type Offer, type OfferedCommand, type Offers, optionsOf, optionsWithValue, valueKind } from './offers.ts';

const zshQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const described = (offers: readonly Offer[], dashes = ''): string =>
  offers.map(({ name, about }) => zshQuoted(`${dashes}${name}:${about.replaceAll('\n', ' ')}`)).join(' ');

export function zshScript(offers: Offers): string {
  const values = [...optionsWithValue(offers)];
  const named = (kind: unknown) => values.flatMap(([name, value]) => (value === kind ? [`--${name}`] : [])).join('|');
  const chosen = values.flatMap(([name, value]) =>
    Array.isArray(value) ? [`    --${name}) compadd -- ${value.join(' ')}; return ;;`] : [],
  );
  return `#compdef viber
# Completes the words of viber in zsh. In ~/.zshrc, after compinit: source <(viber completion zsh)
_viber() {
  local at command verb value=none
  local -a offered options
  for ((at = 2; at < CURRENT; at++)); do
    case $words[at] in
      (${values.map(([name]) => `--${name}`).join('|')}) ((at++)) ;;
      (-*) ;;
      (*) if [[ -z $command ]]; then command=$words[at]; elif [[ -z $verb ]]; then verb=$words[at]; fi ;;
    esac
  done
  case $words[CURRENT-1] in
    (${named('file')}) _files; return ;;
    (${named('folder')}) _files -/; return ;;
    (${named('none')}) return ;;
${chosen.map((line) => line.replace('    --', '    (--')).join('\n')}
  esac
  case $command in
    ('')
      offered=(${described(offers.commands)})
      options=(${described(offers.options, '--')}) ;;
${offers.commands.map(zshCase).join('\n')}
  esac
  if [[ $words[CURRENT] == -* ]]; then
    _describe -o option options
  else
    (( \${#offered} )) && _describe command offered
    case $value in
      (file) _files ;;
      (folder) _files -/ ;;
    esac
  fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _viber "$@"; else compdef _viber viber; fi`;
}

function zshCase(command: OfferedCommand): string {
  const { name, verbs, value } = command;
  if (verbs.length === 0)
    return `    (${name}) value=${valueKind(value)}; options=(${described(command.options, '--')}) ;;`;
  const rows = verbs.map(
    (verb) =>
      `      (${verb.name}) value=${valueKind(verb.value)}; options=(${described(optionsOf(command, verb.name), '--')}) ;;`,
  );
  const first = `      (*) offered=(${described(verbs)}); options=(${described(command.options, '--')}) ;;`;
  return [`    (${name}) case $verb in`, ...rows, first, '      esac ;;'].join('\n');
}
