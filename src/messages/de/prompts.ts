/** Was Werkzeugserver als Prompts bereithalten, zur Auswahl. */
import { translate } from '../arguments.ts';
import { prompts as english } from '../en/prompts.ts';

export const prompts = translate(english)({
  notHere: 'Prompts können hier nicht benutzt werden.',
  noServers: 'Hier ist kein Werkzeugserver eingerichtet, also gibt es keine Prompts.',
  none: 'Die Werkzeugserver haben keine Prompts.',
  membersOnly: 'Prompts sind für die Leute dieses Bots; frag seinen Besitzer.',
  peopleOnly: 'Nur die Leute von **{title}** dürfen darin einen Prompt benutzen; frag jemanden von ihnen.',
  listed: '- **{name}** ({server}): {what}',
  listedNeeds: '- **{name}** ({server}): {what} Er braucht {needs}.',
  how: 'Drück auf einen, oder schreib /prompts NAME. Was er braucht, folgt als name=Wert oder name="zwei Wörter".',
  more: 'und {n, number} weitere',
  unknown: 'Es gibt keinen Prompt {name}. /prompts zeigt alle.',
  several: 'Mehr als ein Server hat einen Prompt {name}. Sag, welchen: {names}.',
  needs: 'Der Prompt {name} braucht {what}: schick /prompts {name} {example}',
  notNeeded: 'Der Prompt {name} nimmt {given} nicht.',
  using: 'Ich tue, worum {name} von {server} bittet.',
  say: 'Tu, worum der Prompt {name} von {server} bittet. Ich habe ihn ausgewählt; er steht im Zitat.',
});
