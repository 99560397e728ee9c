/** Was `viber doctor` findet, je ein Satz. */
import { translate } from '../arguments.ts';
import * as english from '../en/doctor.ts';

export const doctor = translate(english.doctor)({
  small:
    '{model} ist das kleine eingebaute Modell, das nur wenige feste Befehle versteht; {command} verbindet ein richtiges',
  late: 'keine Antwort nach {n, plural, one {# Sekunde} other {# Sekunden}}',
  tempFile: 'TMPDIR nennt {folder}, das ist kein Ordner: Ändere es',
  tempUnusable:
    'TMPDIR: der Ordner für Zwischendateien, {folder}, ist nicht benutzbar: {why}; leg ihn an oder nenne einen anderen',
  homeWritable: '{home} ist beschreibbar',
  homeLater: '{home} gibt es noch nicht; es entsteht beim Start',
  free: '{space} frei',
  tooLittle: '{space} frei, weniger als limits.freeBytes ({least}): es wird keine neue Nachricht angenommen',
  homeUnwritable: '{home} ist nicht beschreibbar: {why}; nimm ein anderes mit --home oder OPENVIBER_HOME',
  folderUnwritable: 'dieser Benutzer kann {folder} nicht beschreiben: Gib ihm den Ordner mit chown',
  folderOpen: 'andere können in {folder} hineinsehen: chmod 700',
  fileOpen: 'andere können {file} lesen: chmod 600',
  tooFewHandles:
    '{tooLow, select, yes {höchstens {limit} offene Dateien und Sockets sind erlaubt, nötig sind {needs}: {how}} other {höchstens {limit} offene Dateien und Sockets sind erlaubt, unter voller Last sind es bis zu {needs}: {how}}}',
  pictures: '{model} zeichnet auf Wunsch Bilder',
  noPictures: '{provider} kann keine Bilder zeichnen; nimm openai, google oder einen Endpunkt unter providers',
  noPictureKey: 'für das Zeichnen von Bildern fehlt der Schlüssel',
  projects:
    '{folder}: {n, plural, =0 {keine Projekte} one {ein Projekt} other {# Projekte}}; Befehle erreichen dort {network, select, registries {Paketregister} all {das öffentliche Internet} other {kein Netz}}',
  commands: 'Befehle laufen in der Sandbox und finden {tools}',
  commandsAsk: 'ohne Sandbox wird vor jedem Befehl gefragt; Befehle finden {tools}',
  noGateway: 'auf diesem Rechner läuft gerade keines',
  gateway: 'Prozess {pid} {roles}; Sperre und Socket liegen in {folder}',
  gatewayPort: 'Prozess {pid} an Port {port} {roles}; Sperre und Socket liegen in {folder}',
  answers: '{name} antwortet',
  noAnswer: '{name} antwortet nicht: {why}',
  otherAddress: '{name} antwortet nicht unter {given}, aber unter {right}: Setze {right}',
  noV1: '{name} antwortet nicht unter {given}, aber unter {right}: /v1 fehlt, setze {right}',
  defaults: 'Vorgaben und Umgebung',
  setting: '{path}: {what}',
  dm: '{dm, select, pairing {wer unter people oder access.allow steht, und wer mit einem Code hereingelassen wurde} allowlist {wer unter people oder access.allow steht} open {jeder} other {niemand}}',
  when: '{groups, select, mention {wenn man ihn erwähnt} all {jede Nachricht} other {nie}}',
  serverAll: 'überall auf dem Server {id} ({when})',
  everyServer: 'jeder Kanal jedes anderen Servers ({when})',
  everyGroup: 'jede Gruppe, in der er ist ({when})',
  inChats: 'in {chats} ({when})',
  nowhere: 'nirgends',
  door: 'antwortet in Direktnachrichten: {dm}; in Gruppen: {places}',
  openDm:
    '{key}.dm ist open: jeder auf {name} kann auf deine Kosten das Modell benutzen; wer auf keiner Liste steht, sieht weder Gedächtnis noch Dateien',
  openServer:
    '{all, select, yes {{key} nennt den Server {id}: jeder, der in einem seiner Kanäle schreibt, kann auf deine Kosten das Modell benutzen; wer auf keiner Liste steht, sieht weder Gedächtnis noch Dateien} other {{key} nennt den Server {id}: jeder, der ihn in einem seiner Kanäle erwähnt, kann auf deine Kosten das Modell benutzen; wer auf keiner Liste steht, sieht weder Gedächtnis noch Dateien}}',
  openGroups:
    '{all, select, yes {{key}.chats enthält "*": wer ihn in eine Gruppe holt, öffnet sie; jeder, der dort schreibt, kann auf deine Kosten das Modell benutzen; wer auf keiner Liste steht, sieht weder Gedächtnis noch Dateien} other {{key}.chats enthält "*": wer ihn in eine Gruppe holt, öffnet sie; jeder, der ihn dort erwähnt, kann auf deine Kosten das Modell benutzen; wer auf keiner Liste steht, sieht weder Gedächtnis noch Dateien}}',
  everyMessage:
    '{key}.groups ist all: jede Nachricht in {where} wird beantwortet und kostet eine Anfrage an das Modell',
  anyGroup: 'jeder Gruppe',
  groupMemory:
    '{key}.memory ist group: wer dort mitliest, kann lesen, was aus MEMORY.md, USER.md und den Tagesnotizen stammt',
  nobodyListed: '{key}.allow ist leer, und people nennt niemanden auf {name}: keine Direktnachricht wird beantwortet',
  noChats: '{key}.chats ist leer: er antwortet nur in Direktnachrichten',
  noServers: '{servers} und {key}.chats sind leer: er antwortet nur in Direktnachrichten',
  lookUp:
    'Dieser Rechner findet den Namen nicht: Prüfe Netz und DNS (hinter einem Proxy setze HTTPS_PROXY), dann versuch es noch einmal.',
  reach:
    'Dieser Rechner erreicht die Gegenseite nicht: Prüfe das Netz (hinter einem Proxy setze HTTPS_PROXY), dann versuch es noch einmal.',
  window: 'Ollama gibt {model} {n} Tokens und lässt den Rest wortlos weg: Starte es mit OLLAMA_CONTEXT_LENGTH=32768',
  noPrice:
    'für {name} ist kein Preis bekannt: seine Tokens werden gezählt, aber Grenzen in Geld gelten nicht; setze prices.{name}',
  skillUnusable: '{name} ist nicht benutzbar: {fixes}',
  noSkill: 'skills.env.{name}: einen Skill dieses Namens gibt es nicht',
  skillsAll: '{n, plural, one {der einzige ist benutzbar} other {alle # sind benutzbar}}',
  skillsSome: '{usable} von {n} sind benutzbar',
  unreadable: 'sie sind nicht lesbar: {why}',
  sandbox: 'bubblewrap funktioniert: Skripte von Skills sehen nur ihre eigenen Ordner',
  noSandbox:
    'auf diesem System gibt es keine: Skripte von Skills erreichen, was das Gateway erreicht, und vor jedem wird gefragt',
  installSandbox:
    'installiere das Paket bubblewrap: ohne es erreichen Skripte von Skills, was das Gateway erreicht, und vor jedem wird gefragt',
  allowSandbox:
    'bubblewrap ist da, aber dieser Rechner lässt es nicht zu ({why}): ohne es erreichen Skripte von Skills, was das Gateway erreicht, und vor jedem wird gefragt',
  allowInContainer:
    'bubblewrap ist da, aber dieser Container lässt es nicht zu ({why}): starte ihn wie compose.yaml, mit seccomp=deploy/seccomp.json, apparmor=unconfined und systempaths=unconfined (in Kubernetes: deploy/kubernetes-sandbox); bis dahin erreichen Skripte von Skills, was das Gateway erreicht, und vor jedem wird gefragt',
  allowNamespaces:
    'bubblewrap ist da, aber AppArmor lässt keine User-Namespaces zu ({why}): führe auf dem Rechner "sysctl kernel.apparmor_restrict_unprivileged_userns=0" aus; bis dahin erreichen Skripte von Skills, was das Gateway erreicht, und vor jedem wird gefragt',
  serverSilent: 'mcp.{name} antwortet nicht',
  serverEmpty: '{name} antwortet und hat keine Werkzeuge',
  serverTools:
    '{tools, plural, one {{name} hat 1 Werkzeug} other {{name} hat # Werkzeuge}}; {asks, select, none {keines fragt um Erlaubnis} all {jedes fragt um Erlaubnis} other {{asking, plural, one {# davon fragt um Erlaubnis} other {# davon fragen um Erlaubnis}}}}',
  noTool: 'mcp.{name}.tools: {name} hat kein Werkzeug „{tool}“',
  leftOut:
    '{name}: Das Werkzeug „{tool}“ lasse ich weg, denn {why, select, task {es läuft nur im Hintergrund, als Aufgabe von MCP} name {sein Name ist zu lang} description {seine Beschreibung ist zu lang} arguments {seine Argumente haben keine Namen} size {seine Argumente sind zu lang beschrieben} other {mehr Werkzeuge nehme ich von einem Server nicht; liste unter mcp.{name}.tools, welche du brauchst}}',
  timezone: '{zone} (jobs.timezone)',
  ofViber: '{id}: {what}',
  secondVersion:
    '{name} ist eine Konfliktkopie von {original}: Es wurde an zwei Orten geändert, und diese Kopie wird nicht gelesen. Übernimm daraus in {original}, was du willst, und lösche sie',
  undecided:
    '{name} Zeile {line}: eine offene Zusammenführung, deren zwei Fassungen beide gelesen werden; behalte eine und lösch die Zeilen dazwischen',
  shorten: '{name} {why}; kürze sie, oder lege selten Gebrauchtes in eine andere Datei',
  moreFiles: '{n, plural, one {und eine weitere} other {und # weitere}}',
  jobsRun: '{n, plural, one {1 Auftrag kann laufen} other {alle # können laufen}}',
  jobsOffline:
    '{can}, aber {model}, das kleine eingebaute Modell, versteht nur wenige feste Befehle; {command} verbindet ein richtiges',
  listed: '{before}, {after}',
});
