/** Was `viber backup` und `viber restore` sagen. */
import { translate } from '../arguments.ts';
import * as english from '../en/backup.ts';

export const backup = translate(english.backup)({
  holds:
    '{files, plural, one {{target} enthält eine Datei ({size} MB).} other {{target} enthält # Dateien ({size} MB).}} Sie lässt sich zurücklesen, das ist geprüft. Nur du kannst sie lesen.',
  keepSafe:
    '{secrets, select, yes {Darin stehen Gespräche, Gedächtnis und Geheimnisse im Klartext: Bewahre sie sicher auf.} other {Darin stehen Gespräche und Gedächtnis im Klartext: Bewahre sie sicher auf.}}',
  leftSecret: 'Geheimnisse ausgelassen (--with-secrets nimmt sie mit): {names}.',
  variables: 'Anstelle von Geheimnissen nennt die Konfiguration darin diese Variablen: {names}.',
  leftLinks: 'Ausgelassen, weil sich Links und Sockets nicht sichern lassen: {names}.',
  leftNames: 'Ausgelassen, weil sich solche Namen nicht wiederherstellen lassen: {names}.',
  leftUnread: 'Ausgelassen, weil sie sich nicht lesen lassen: {names}.',
  shrunk: 'Beim Kopieren wurden diese kürzer, prüf sie nach dem Wiederherstellen: {names}.',
  onServer:
    'Nicht in der Sicherung: was gerade in Arbeit ist und was in den letzten Tagen ankam. Das liegt auf dem Server {address} ({now}).',
  onServerNow:
    '{messages, plural, one {jetzt eine Nachricht} other {jetzt # Nachrichten}}{answers, plural, one { und eine Antwort} other { und # Antworten}}',
  copyServer:
    'Kopiere auch den Append-only-Ordner dieses Servers oder einen Schnappschuss seines Datenträgers: docs/several-machines.md, „Backup“.',
  interrupted:
    'Eine Wiederherstellung nach {target} läuft gerade oder wurde unterbrochen; das Home ist noch wie vorher. Führ {command} noch einmal aus, oder lösch {file}, um ohne sie weiterzumachen.',
  unreadableRecord:
    'Eine Wiederherstellung nach {target} wurde unterbrochen, und {file} ist nicht lesbar. Lösch diese Datei und stell noch einmal wieder her.',
  filledMeanwhile: '{folder} war leer und ist es nicht mehr. Verschieb den Inhalt und starte noch einmal.',
  noHome: 'In {home} ist kein Home.',
  exists: '{target} gibt es schon. Nimm einen anderen Namen.',
  noFolder: 'Den Ordner {folder} gibt es nicht.',
  inside: '{target} liegt im Home. Nimm eine Datei außerhalb.',
  andMore: '{n, plural, one {{names} und eine weitere} other {{names} und # weitere}}',
  readsBadly:
    'Die Sicherung lässt sich nicht so zurücklesen, wie sie geschrieben wurde, deshalb habe ich sie gelöscht. Prüf den Datenträger und versuch es noch einmal.',
  broken: 'Das ist keine Sicherung von viber, oder sie ist beschädigt: {why}.',
  notOurs: 'Das ist keine Sicherung von viber.',
  otherVersion: 'Diese Sicherung stammt von einer anderen Version von viber; diese kann sie nicht lesen.',
  tooLarge: 'Die Sicherung ist größer als der freie Platz. Es wurde nichts wiederhergestellt.',
  noFile: 'Die Datei {file} gibt es nicht.',
  notEmpty: '{target} ist nicht leer. --replace schiebt den Inhalt beiseite; oder nimm mit --home ein anderes.',
  ownDisk:
    '{target} ist ein eigener Datenträger und lässt sich nicht ersetzen: Stell mit --home in einen Ordner darauf wieder her.',
  restored:
    '{files, plural, one {Die Sicherung vom {at} (von viber {version}) ist in {target} wiederhergestellt: eine Datei.} other {Die Sicherung vom {at} (von viber {version}) ist in {target} wiederhergestellt: # Dateien.}}',
  leftOut: 'Ausgelassen, weil sie sich hier nicht wiederherstellen lassen: {names}.',
  aside: 'Das bisherige Home liegt in {aside}. Lösch es, wenn du es nicht mehr brauchst.',
  noSecrets:
    'Die Sicherung enthält keine Geheimnisse: Wenn du Tokens oder Schlüssel benutzt, setz sie neu, und starte dann {command}.',
  asksFor: 'Die Konfiguration braucht diese Variablen: {names}.',
  wasOnServer:
    'Was damals in Arbeit war, lag auf einem Server (engine.url) und nicht in der Sicherung. Es wird beantwortet, wenn dieser Server es noch hat.',
  finishes: 'Nach dem nächsten Start werden die Nachrichten und Antworten fertig, die damals in Arbeit waren.',
});
