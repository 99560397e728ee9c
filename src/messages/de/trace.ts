/** Der Weg einer Nachricht, wie `viber trace` ihn zeigt. */
import { translate } from '../arguments.ts';
import * as english from '../en/trace.ts';

export const trace = translate(english.trace)({
  title: 'Trace {id}',
  titleOfTask: 'Trace {id}, Aufgabe {task}',
  what: '{what, select, accepted {angenommen} claimed {begonnen} modelCall {Modell} tool {Werkzeug} step {Schritt} result {Ergebnis} out {Ausgang} intent {Absicht} sent {gesendet} refused {abgelehnt} unsure {unklar} approval {Freigabe} decision {Antwort} other {{what}}}',
  accepted: 'von {from} in {lane}, jetzt {state}{crashes, plural, =0 {} one {, # Absturz} other {, # Abstürze}}',
  dead: '{what}, aufgegeben: {why}',
  out: 'an {channel}, jetzt {state}{reason}',
  intent: 'Teil 0, zusammen mit der Datei',
  part: 'Teil {part}{isSent, select, yes { als {id}} other {}}',
  run: 'Lauf {run}',
  tool: '{tool} beginnt',
  step: '{n}: {tool}',
  textStep: '{n}: Text',
  andTool: '{before}, {tool}',
  toolFailed: '{tool} (fehlgeschlagen)',
  asked: 'gefragt: {kind}, {tool}',
  continued: '{what}, geht weiter in {run}',
  providerSaid: '{what} Der Anbieter sagt dazu: {words}',
  call: '{model}, {ms} ms, {tokensIn} Tokens hinein, {tokensOut} heraus',
  estimated: '{model}, {ms} ms, {tokensIn} Tokens hinein, {tokensOut} heraus (geschätzt: Die Antwort brach ab)',
});
