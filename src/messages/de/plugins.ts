/** Warum eine Erweiterung, die die Konfiguration nennt, nicht geladen wird. */
import { translate } from '../arguments.ts';
import * as english from '../en/plugins.ts';

export const plugins = translate(english.plugins)({
  cannotLoad: '{source} lässt sich nicht laden: {why}',
  noFile: 'diese Datei oder diesen Ordner gibt es nicht',
  noPackage: 'dieses Paket gibt es weder beim Gateway noch in node_modules im Home; ein Pfad beginnt mit ./ oder /',
  noEntry: '{folder} enthält keine dieser Dateien: {names}',
  late: 'nach {seconds, plural, one {# Sekunde} other {# Sekunden}} ist es noch nicht geladen',
  exits: 'es beendet den Prozess',
  noExport: 'es exportiert kein Objekt „{what}“: erwartet wird eines als Default-Export',
  name: 'der Name darf nur aus a-z, 0-9 und - bestehen (höchstens 32 Zeichen)',
  section: 'es ist der Kanal {name}; der Abschnitt muss also channels.{name} heißen',
  builtIn: '{name} ist ein eingebauter Kanal',
  pattern: 'accountPattern muss der Text eines regulären Ausdrucks sein',
  lacks: 'es fehlt: {what}',
  lateSettings: 'nach {seconds, plural, one {# Sekunde} other {# Sekunden}} sind die Einstellungen noch nicht da',
  schema: 'die Einstellungen sind kein Schema von zod',
  taken: 'es gibt schon ein Feature namens {name}',
});
