/** Was die Plattformen selbst sagen: über Dateien, die nicht mitkamen, und anstelle einer Antwort. */
import { translate } from '../arguments.ts';
import { channels as english } from '../en/channels.ts';

export const channels = translate(english)({
  raiseHandles: 'erhöhe die Grenze mit ulimit -n oder mit LimitNOFILE in der Datei des Dienstes',
  onIt: 'Ich bin dran.',
  onItIn: 'Ich bin dran: {place}',
  workingIn: 'Ich arbeite daran in <{link}|diesem Thread>.',
  refused: 'Tut mir leid, darum kannst du mich hier nicht bitten; mein Besitzer kann es erlauben.',
  refusedPerhaps: 'Tut mir leid, darum kannst du mich nicht bitten, oder nicht hier; mein Besitzer kann es erlauben.',
  notBetweenOthers:
    'An diesem Gespräch nehme ich nicht teil, du könntest meine Antworten hier also nicht lesen. Schreib mir lieber direkt.',
  notInChannel:
    'Ich bin nicht in diesem Kanal, du könntest meine Antwort also nicht lesen. Lad mich mit {invite} ein und versuch es noch einmal.',
  noLonger: 'Das geht hier nicht mehr; /help zeigt, was geht.',
  noLongerWrite: 'Das geht hier nicht mehr; schreib es mir in Worten.',
  notTaken: 'Das konnte ich nicht annehmen. Versuch es bitte gleich nochmal.',
  uncertainRest:
    'Ich weiß nicht, ob der Rest meiner Antwort bei dir angekommen ist. Wenn er fehlt, gib den Befehl nochmal.',
  uncertainAnswer:
    'Ich weiß nicht, ob meine Antwort auf deinen letzten Befehl bei dir angekommen ist. Wenn sie fehlt, gib den Befehl nochmal.',
  moreChoices: 'Weitere Möglichkeiten:',
  choose: 'Wähl aus:',
  noText: '(ohne Text)',
  barredRights:
    'In diesen Kanal darf ich nicht schreiben. Gib meiner Rolle hier „Kanal ansehen“ und „Nachrichten senden“, oder nimm einen anderen Kanal; gib den Befehl dann nochmal.',
  cannotAnswer: 'Ich habe „{words}“ gelesen, kann aber dort nicht antworten: {why} Schreib mir stattdessen hier.',
  barredArchived: 'Der Kanal ist archiviert.',
  barredReadOnly: 'Ich darf dort nichts schreiben.',
  barredLocked: 'Der Thread ist gesperrt, und in gesperrte darf ich nicht schreiben.',
  barredMuted: 'Ich bin dort stummgeschaltet.',
  barredOut: 'Ich bin dort kein Mitglied mehr.',
  barredRefused: 'Meine Antwort wurde dort abgelehnt.',
  fileEmpty: 'Nicht angehängt: {file} ist leer.',
  fileTooLarge: 'Nicht angehängt: {file} hat {size}; {platform} nimmt Dateien bis {max} an.',
  notAttached: 'Das konnte ich hier nicht anhängen: {files}; {why}',
  andMore: '{files} und {n, number} weitere',
  rights:
    'an diesen Ort darf ich keine Dateien schicken. Hol dir {n, plural, one {die Datei} other {die Dateien}} in einem privaten Chat mit {get}.',
  rightsTelegram:
    'in diesem Chat darf ich keine Dateien schicken. Hol dir {n, plural, one {die Datei} other {die Dateien}} in einem privaten Chat mit {get}, oder erlaub Dateien in den Berechtigungen dieses Chats.',
  rightsDiscord:
    'mir fehlt in diesem Kanal das Recht „Dateien anhängen“. Hol dir {n, plural, one {die Datei} other {die Dateien}} in einer Direktnachricht mit {get}, oder gib meiner Rolle hier dieses Recht.',
  rightsSlack:
    'in diesem Kanal darf ich keine Dateien teilen. Hol dir {n, plural, one {die Datei} other {die Dateien}} in einer Direktnachricht mit {get}, oder lad mich ein mit {invite}.',
  scope:
    'auf {platform} darf ich keine Dateien schicken. Sobald ich darf, hol dir {n, plural, one {die Datei} other {die Dateien}} mit {get}.',
  scopeSlack:
    'der App fehlt der Scope {scope}. Sobald sie ihn hat und neu installiert ist, hol dir {n, plural, one {die Datei} other {die Dateien}} mit {get}.',
  policy:
    '{platform} nimmt hier keine Dateien an. Sobald sich das ändert, hol dir {n, plural, one {die Datei} other {die Dateien}} mit {get}.',
  policySlack:
    'in diesem Workspace dürfen Apps keine Dateien teilen. Sobald ein Admin es erlaubt, hol dir {n, plural, one {die Datei} other {die Dateien}} mit {get}.',
  size: 'das ist mehr, als {platform} annimmt. Bitte mich um {n, plural, one {eine kleinere} other {kleinere}}, oder um Teile davon.',
  gone: 'ich kann {n, plural, one {die Datei} other {die Dateien}} nicht mehr lesen. Bitte mich, das nochmal zu machen.',
  file: '{platform} hat {n, plural, one {die Datei} other {die Dateien}} nicht angenommen. Versuch {get}, oder bitte mich um ein anderes Format.',
  promptPlan: 'Einen Plan machen',
  promptPlanSays: 'Hilf mir, einen Plan zu machen. Frag mich, wofür.',
  promptWrite: 'Etwas schreiben',
  promptWriteSays: 'Hilf mir, einen Text zu schreiben. Frag mich, worüber und für wen.',
  promptCan: 'Was kannst du?',
  promptCanSays: 'Was kannst du für mich tun? Nenn drei Beispiele.',
});
