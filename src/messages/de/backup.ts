/** Was `viber backup` und `viber restore` sagen. */
import { translate } from '../arguments.ts';
import * as english from '../en/backup.ts';

export const backup = translate(english.backup)({
  holds:
    '{files, plural, one {{target} enthält eine Datei ({size} MB).} other {{target} enthält # Dateien ({size} MB).}} Sie ist zurückgelesen, und nur du kannst sie lesen.',
  keepSafe:
    '{secrets, select, yes {Darin stehen Gespräche, Gedächtnis und Geheimnisse im Klartext: Bewahre sie sicher auf.} other {Darin stehen Gespräche und Gedächtnis im Klartext: Bewahre sie sicher auf.}}',
  leftSecret: 'Als geheim ausgelassen (--with-secrets nimmt sie mit): {names}.',
  variables: 'Anstelle von Geheimnissen nennt die Konfiguration darin diese Variablen: {names}.',
  leftLinks: 'Ausgelassen, weil sich Links und Sockets nicht sichern lassen: {names}.',
  leftNames: 'Ausgelassen, weil sich solche Namen nicht wiederherstellen lassen: {names}.',
  leftUnread: 'Ausgelassen, weil sie sich nicht lesen lassen: {names}.',
  shrunk: 'Beim Kopieren kürzer geworden, prüfe sie nach dem Wiederherstellen: {names}.',
  onServer:
    'Nicht darin: was gerade in Arbeit ist und was in den letzten Tagen ankam. Das liegt auf dem Server {address} ({now}).',
  onServerNow:
    '{messages, plural, one {jetzt eine Nachricht} other {jetzt # Nachrichten}}{answers, plural, one { und eine Antwort} other { und # Antworten}}',
  copyServer:
    'Kopiere auch den Append-only-Ordner dieses Servers oder einen Schnappschuss seines Datenträgers: docs/several-machines.md, „Backup“.',
  noHome: 'In {home} ist kein Home.',
  exists: '{target} gibt es schon. Nimm einen anderen Namen.',
  noFolder: 'Den Ordner {folder} gibt es nicht.',
  inside: '{target} liegt im Home. Nimm eine Datei außerhalb.',
  andMore: '{n, plural, one {{names} und eine weitere} other {{names} und # weitere}}',
  readsBadly:
    'Die Sicherung liest sich anders, als sie geschrieben wurde, und ist wieder gelöscht. Prüfe den Datenträger und versuch es noch einmal.',
  broken: 'Das ist keine Sicherung von viber, oder sie ist beschädigt: {why}.',
  notOurs: 'Das ist keine Sicherung von viber.',
  otherVersion: 'Diese Sicherung stammt von einer anderen Version von viber; diese kann sie nicht lesen.',
  tooLarge: 'Die Sicherung ist größer als der freie Platz. Es wurde nichts wiederhergestellt.',
  noFile: 'Die Datei {file} gibt es nicht.',
  notEmpty: '{target} ist nicht leer. --replace schiebt den Inhalt beiseite; oder nimm mit --home ein anderes.',
  ownDisk:
    '{target} ist ein eigener Datenträger und lässt sich nicht ersetzen: Stell mit --home in einen Ordner darauf wieder her.',
  restored:
    '{files, plural, one {{target} enthält jetzt die Sicherung vom {at}: eine Datei, von viber {version}.} other {{target} enthält jetzt die Sicherung vom {at}: # Dateien, von viber {version}.}}',
  leftOut: 'Ausgelassen, weil sie sich hier nicht wiederherstellen lassen: {names}.',
  aside: 'Was vorher da war, liegt in {aside}. Lösch es, wenn du es nicht mehr brauchst.',
  noSecrets:
    'Geheimnisse waren nicht darin: Wenn du Tokens oder Schlüssel benutzt, setz sie neu, und starte dann {command}.',
  asksFor: 'Die Konfiguration braucht diese Variablen: {names}.',
  wasOnServer:
    'Was damals in Arbeit war, lag auf einem Server (engine.url) und nicht darin. Es wird beantwortet, wenn dieser Server es noch hat.',
  finishes: 'Nachrichten und Antworten, die damals in Arbeit waren, werden nach dem nächsten Start zu Ende gebracht.',
});
