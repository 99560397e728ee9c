/** Was `viber service` sagt. */
import { translate } from '../arguments.ts';
import * as english from '../en/service.ts';

export const service = translate(english.service)({
  controlCharacter: 'Der Pfad {path} enthält ein Steuerzeichen.',
  none: 'Für {home} ist kein Dienst installiert. Einen installieren: {command}',
  written: 'Geschrieben: {file}',
  failed: '{command} ist fehlgeschlagen: {problem}',
  runs: 'Das Gateway läuft als Dienst auf {home}. Ansehen kannst du es mit {status} und {logs}.',
  other: 'Es gibt schon einen Dienst für {other}: {command} entfernt ihn.',
  odd: '{names}: Schreib diesen Wert von Hand in {file}.',
  unseen:
    'Die Variablen dieser Shell sieht er nicht: {names}. Schreib sie in {file} (Rechte 0600), eine je Zeile als NAME=value, oder lass {command} das tun.',
  lingers: 'Er läuft weiter, wenn du dich abmeldest, und startet mit dem Rechner (lingering ist für {user} an).',
  ends: 'Er endet, wenn du dich abmeldest. Damit er weiterläuft: sudo loginctl enable-linger {user}',
  noLogs:
    'Es ist kein Dienst installiert, also hat er keine Logs. „{start}“ schreibt sie ins Terminal, und „{install}“ installiert den Dienst.',
  noService: 'Es ist kein Dienst installiert.',
  removed: 'Angehalten und entfernt: {file}. Das Home bleibt.',
  unsupported:
    'Ich kann einen Dienst nur für systemd und launchd installieren. Starte das Gateway hier so, wie dieses System andere Programme startet.',
  nextLogin:
    'Die Datei ist da und wird beim nächsten Anmelden geladen. Jetzt versuchen: launchctl bootstrap gui/$(id -u) {file}',
  noSystemd:
    'Dieser Rechner hat kein systemd, wie die meisten Container: Lass das, was hier andere Programme startet, {command} ausführen, oder nimm compose.yaml.',
  wsl: 'Nichts ist installiert: WSL startet systemd nicht von selbst. Schreib die Zeilen [boot] und systemd=true in /etc/wsl.conf, starte in Windows wsl --shutdown, öffne WSL neu und installiere noch einmal.',
  noSession:
    'Nichts ist installiert: Dienste eines Benutzers brauchen eine Sitzung. Melde dich als dieser Benutzer an (nicht mit su), oder setze XDG_RUNTIME_DIR=/run/user/$(id -u), und installiere noch einmal.',
});
