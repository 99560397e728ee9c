/** Sprachnachrichten, die nicht zu hören waren. */
import { translate } from '../arguments.ts';
import { voice as english } from '../en/voice.ts';

export const voice = translate(english)({
  unsetOwner:
    'Ich kann Sprachnachrichten noch nicht hören. Setze {keys} (eines genügt) oder nenne in voice.command ein eigenes Programm, starte mich neu und schick sie noch einmal. Die Aufnahme habe ich behalten.',
  unset: 'Ich kann hier noch keine Sprachnachrichten hören. Schreib es mir bitte.',
  busy: 'Ich konnte deine Sprachnachricht nicht hören: der Dienst, der sie aufschreibt, hat nicht geantwortet. Ich habe sie behalten; drück gleich auf Nochmal, oder schreib es mir.',
  keyOwner:
    'Ich konnte deine Sprachnachricht nicht hören: {reason} Bitte sieh nach {setting}. Ich habe sie behalten; drück danach auf Nochmal.',
  key: 'Ich konnte deine Sprachnachricht nicht hören: etwas ist nicht richtig eingerichtet. Schreib es mir bitte.',
  unreadable:
    'Ich konnte deine Sprachnachricht nicht verstehen: die Aufnahme ist nicht lesbar. Schick sie bitte noch einmal, oder schreib es mir.',
  long: 'Deine Sprachnachricht ist zu lang für mich. Schick sie bitte in kürzeren Stücken, oder schreib es mir.',
  empty: 'In deiner Sprachnachricht war nichts zu hören. Sag es bitte noch einmal, oder schreib es mir.',
  again: 'Bitte versuch es noch einmal mit meiner Sprachnachricht.',
});
