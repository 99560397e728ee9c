/** Erster Kontakt, wer hineindarf, und eine Person mit mehreren Konten. */
import { translate } from '../arguments.ts';
import * as english from '../en/pairing.ts';

export const pairing = translate(english.pairing)({
  asksIn: '{name} ({channel}) möchte herein. Der Code ist {code}.',
  approve: 'Hereinlassen',
  approveName: '{name} hereinlassen',
  deny: 'Ablehnen',
  mayWrite: '{name} darf mir jetzt schreiben ({identity}, {role}).',
  notLetIn: '{name} kommt nicht herein.',
  nobodyAsks: 'Niemand möchte herein.',
  noSuchCode:
    'Mit dem Code {code} fragt niemand. Ein Code gilt eine Stunde; eine neue Nachricht an den Bot bringt einen neuen.',
  waiting: '- {name} ({identity}), Code {code}',
  unknownCode: 'Diesen Code kenne ich nicht. Lass dir auf deinem anderen Konto mit /link einen neuen geben.',
  expiredCode: 'Dieser Code ist älter als 10 Minuten. Lass dir auf deinem anderen Konto mit /link einen neuen geben.',
  ownCode: 'Das ist dein eigener Code. Gib ihn auf deinem anderen Konto ein, in einer Direktnachricht an mich.',
  takenCode:
    'Dieses Konto lässt sich nicht mit dem verbinden, das den Code gezeigt hat: Es gehört schon jemandem, oder darf mehr. Schick stattdessen hier /link und gib auf dem anderen Konto ein, was ich antworte.',
  tooManyTries: 'Das waren zu viele falsche Codes. Versuch es in einer Stunde nochmal.',
  notLetInYet:
    'Dieser Code verbindet Konten, die mir schon schreiben dürfen, und dieses darf es noch nicht. Bitte den Besitzer, es hereinzulassen.',
  linked:
    'Fertig: Hier bist du jetzt {person}, wie auf {identity}, mit denselben Aufgaben, Dateien und Rechten. Was wir dort gemacht haben, geht hier weiter. /link list zeigt deine Konten.',
  codeUsed:
    '{identity} ({name}) hat deinen Code eingegeben und handelt ab jetzt in deinem Namen. Wenn du das nicht warst, schick sofort `/link remove {identity}`.',
  cannotLink: 'Dieses Konto lässt sich gerade nicht verbinden; sag dem Besitzer dieses Bots Bescheid.',
  directOnly: 'Konten verbinde ich nur in einer Direktnachricht; ein hier geschriebener Code gilt nicht mehr.',
  yourCode:
    'Dein Code ist **{code}**. Wer ihn eingibt, handelt in deinem Namen: Gib ihn darum selbst ein, mit deinem anderen Konto, nur in einer Direktnachricht an mich. Er gilt einmal, 10 Minuten lang.',
  noChats:
    'Noch ist kein Chat verbunden, also gibt es kein anderes Konto. Um einen zu verbinden, führ `{command}` auf meinem Rechner aus, dann schick noch einmal /link.',
  enterOn: '- auf {channel}: `{command}`',
  yourAccounts: 'Deine Konten:',
  thisAccount: 'dieses Konto',
  linkedOn: 'verbunden am {date}',
  ofOthers: 'Von anderen:',
  linkHow: '/link zeigt einen Code für ein weiteres Konto; /link remove und ein Konto entfernt eines.',
  whichAccount: 'Welches? /link list zeigt deine Konten.',
  unlinked: '{account} steht wieder für sich: Es sieht nicht mehr, was du hier tust.',
  byConfiguration: '{account} ist nicht durch einen Code verbunden: Es steht in der Konfiguration unter `people`.',
  tooManyCodes: 'Es warten schon zu viele Codes auf ihre Eingabe. Frag in zehn Minuten noch einmal.',
  tooManyAccounts: 'Mehr Konten lassen sich nicht verbinden. `/link list` zeigt, welche wegkönnen.',
  linkedTo: 'Mit {account} sind die anderen verbunden; nimm stattdessen diese weg: {names}.',
  noSuchAccount: 'Ich kenne kein verbundenes Konto {account} von dir. /link list zeigt sie.',
});

/** Die ersten Worte mit jemandem: bevor er eingelassen ist und gleich danach. */
export const contact = translate(english.contact)({
  nobodys:
    'Hallo! Ich habe noch keinen Besitzer. Wenn du das bist, gib auf meinem Rechner das hier ein:\n\n```\n{command}\n```\n\nDann antworte ich auf das, was du hier geschrieben hast. Der Code gilt eine Stunde.',
  lost: 'Hallo! Mir fehlt die Liste derer, die mir schreiben dürfen. Wenn du mein Besitzer bist, gib auf meinem Rechner das hier ein:\n\n```\n{command}\n```\n\nDann antworte ich auf das, was du hier geschrieben hast. Der Code gilt eine Stunde.',
  stranger:
    'Hallo! Ich kenne dich noch nicht. Mein Besitzer kann dich mit diesem Code einlassen:\n\n```\n{code}\n```\n\nEr gilt eine Stunde, und sobald du drin bist, antworte ich auf das, was du geschrieben hast. Wenn du schon anderswo mit mir sprichst, gib dort den Befehl „link“ und dann hier mit dem Code, den er zeigt.',
  owner:
    'Du bist drin{comma}{name}, und ich gehöre dir. {isWritten, select, yes {Ich sehe mir an, was du geschrieben hast.} other {Schreib mir wie einer Kollegin; /help zeigt, was ich kann.}}',
  in: 'Du bist drin{comma}{name}. {isWritten, select, yes {Ich sehe mir an, was du geschrieben hast.} other {Schreib mir wie einer Kollegin; /help zeigt, was ich kann.}}',
});
