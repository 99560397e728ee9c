/** Die ersten Worte mit jemandem: bevor er eingelassen ist und gleich danach. */
import { translate } from '../arguments.ts';
import { contact as english } from '../en/contact.ts';

export const contact = translate(english)({
  nobodys:
    'Hallo! Noch gehöre ich niemandem. Wenn ich deiner bin, gib dort, wo ich gestartet wurde, das hier ein:\n\n```\n{command}\n```\n\nDann antworte ich auf das, was du hier geschrieben hast. Der Code gilt eine Stunde.',
  lost: 'Hallo! Mir fehlt die Liste derer, die mir schreiben dürfen. Wenn ich deiner bin, gib dort, wo ich gestartet wurde, das hier ein:\n\n```\n{command}\n```\n\nDann antworte ich auf das, was du hier geschrieben hast. Der Code gilt eine Stunde.',
  stranger:
    'Hallo! Ich kenne dich noch nicht. Mein Besitzer kann dich mit diesem Code einlassen:\n\n```\n{code}\n```\n\nEr gilt eine Stunde, und sobald du drin bist, antworte ich auf das, was du geschrieben hast. Wenn du schon anderswo mit mir sprichst, gib dort den Befehl „link“ und dann hier mit dem Code, den er zeigt.',
  owner:
    'Du bist drin{comma}{name}, und ich gehöre dir. {isWritten, select, yes {Ich sehe mir an, was du geschrieben hast.} other {Schreib mir wie einer Kollegin; /help zeigt, was ich kann.}}',
  in: 'Du bist drin{comma}{name}. {isWritten, select, yes {Ich sehe mir an, was du geschrieben hast.} other {Schreib mir wie einer Kollegin; /help zeigt, was ich kann.}}',
});
