/** Was das Board sagt, während ein Besitzer das Gateway einrichtet. */
import { translate } from '../arguments.ts';
import * as english from '../en/board-setup.ts';

export const boardSetup = translate(english.boardSetup)({
  conflict:
    'Die Einstellungen wurden inzwischen anderswo geändert. Sieh sie dir noch einmal an, dann ändere sie erneut.',
  oldLogin:
    'Dafür brauchst du eine höchstens {minutes, plural, one {# Minute} other {# Minuten}} alte Anmeldung mit einem Link vom Rechner selbst. Gib dort {command} ein, öffne den Link und versuch es noch einmal.',
  atMachine: '{name} lässt sich im Browser nicht ändern. {how}',
  inFile: 'Ändere die Konfiguration auf dem Rechner.',
  byCommand: 'Gib auf dem Rechner ein: {command}',
  noReference: 'darf hier auf keine Variable verweisen',
  setOutside:
    '{name} ist in der Umgebung des Gateways gesetzt, und die hat Vorrang. Ändere den Wert dort, oder entferne ihn und versuch es noch einmal.',
  told: '{name} hat auf dem Board die Einrichtung geändert: {settings}. War das niemand, den du kennst, gib auf meinem Rechner `{command}` ein, beende diese Anmeldung und prüfe config.yaml.',
  serverTaken: 'Einen Server {name} gibt es schon. Entferne ihn zuerst, oder nimm einen anderen Namen.',
  noFolder: 'Ordner des Rechners lassen sich nur dort hinzufügen, mit {command}',
  manyBackups:
    'In {folder} {n, plural, one {liegt schon # Sicherung} other {liegen schon # Sicherungen}}. Entferne zuerst alte.',
  newKey: 'füge den Schlüssel für diese Adresse ein; der vorhandene gehört zu einer anderen',
  noCard: 'Ich kann {name} gerade nicht nach seinem Link fragen. Versuch es gleich noch einmal.',
  noCommand: 'Das geht nur, wenn ich mit {command} gestartet wurde.',
  noRestart: 'Hier würde mich nichts wieder starten. Starte mich dort neu, wo du mich gestartet hast.',
  restarting: 'Ich starte schon neu.',
  pushAddress:
    'Dorthin kann ich keine Mitteilungen schicken: Ein Push-Dienst hat eine öffentliche https-Adresse oder steht unter `push.services`.',
  pushTooMany:
    'Du bekommst schon in {n, plural, one {# Browser} other {# Browsern}} Mitteilungen. Beende unter Personen eine Anmeldung, die du nicht mehr brauchst.',
  pushRefused: 'Der Push-Dienst dieses Browsers lehnt Mitteilungen ab: {reason}',
  pushLater:
    'Der Push-Dienst dieses Browsers ist gerade nicht zu erreichen ({reason}). Versuch es in einer Minute noch einmal.',
  pushUnsure:
    '{n, plural, one {Eine Mitteilung ist} other {# Mitteilungen sind}} vielleicht nicht angekommen, weil ich beim Senden unterbrochen wurde. Sieh nach, was auf dich wartet.',
  pushGone: 'Dieser Browser hat seine Mitteilungen beendet. Schalte sie aus und wieder ein.',
  pushTest: 'Mitteilungen funktionieren.',
  pushQuestion: 'Eine Frage wartet auf dich',
  pushQuestions: '{n, plural, one {# Frage wartet} other {# Fragen warten}} auf dich',
  pushDone: 'Fertig',
  pushFailed: 'Eine Aufgabe ist gescheitert',
  pushMore: 'und {n, plural, one {# weitere} other {# weitere}}',
  pushNothing: 'Es ist nichts mehr zu tun.',
});
