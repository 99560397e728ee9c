/** Was Programme lesen, die mit dem Viber wie mit einem Modell oder aus einem Editor sprechen. */
import { translate } from '../arguments.ts';
import * as english from '../en/programs.ts';

export const programs = translate(english.programs)({
  noModel: 'Das Modell {model} gibt es hier nicht. GET /v1/models zeigt alle.',
  onlyChat: 'Dieses Gateway kennt nur /v1/chat/completions und /v1/models.',
  lastIsUser: 'die letzte Nachricht muss von der Person kommen',
  unmet: 'wird hier nicht unterstützt',
  ownTools: 'der Viber benutzt seine eigenen Werkzeuge und ruft keine von dir auf',
  unknownPart: 'ein Teil vom Typ {type} lässt sich hier nicht lesen',
  keyReused: 'Dieser Idempotency-Key gehört schon zu einer anderen Anfrage.',
  yesOrNo: 'Antworte mit Ja oder Nein.',
  choose: 'Antworte mit einer Nummer oder in eigenen Worten.',
  failed: 'Das hat nicht geklappt. Den Grund nennt das Log des Gateways.',
  stopped: 'Das wurde gestoppt.',
  noToken: 'Editoren brauchen ein Token: Setze http.token in config.yaml und starte das Gateway neu.',
  noProject:
    'An {folder} kann ich nicht arbeiten: Der Ordner liegt in keinem erlaubten. So erlaubst du ihn: `{command}`',
  noSession: 'Diese Sitzung finde ich nicht.',
  emptyPrompt: 'Der Prompt ist leer.',
  onePrompt: 'Diese Sitzung arbeitet noch am letzten Prompt.',
  unanswered: 'Das hat noch niemand beantwortet. Du kannst es in der nächsten Nachricht oder auf dem Board nachholen.',
});
