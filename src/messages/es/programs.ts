/** Frases para programas que hablan con el viber como con un modelo, o desde un editor. */
import { translate } from '../arguments.ts';
import { programs as english } from '../en/programs.ts';

export const programs = translate(english)({
  noModel: 'Aquí no hay ningún modelo {model}. GET /v1/models los muestra.',
  onlyChat: 'Este gateway solo ofrece /v1/chat/completions y /v1/models.',
  lastIsUser: 'el último mensaje debe ser del usuario',
  unmet: 'no se admite aquí',
  ownTools: 'el viber usa sus propias herramientas y no llama a ninguna de las tuyas',
  unknownPart: 'una parte de tipo {type} no se puede leer aquí',
  keyReused: 'Este Idempotency-Key se usó para otra petición.',
  yesOrNo: 'Contesta sí o no.',
  choose: 'Contesta con un número, o con tus propias palabras.',
  failed: 'No pude hacer esto. El motivo está en el registro del gateway.',
  stopped: 'Esto se detuvo.',
  noToken: 'Los editores necesitan un token: define http.token en config.yaml y reinicia el gateway.',
  noProject: 'No puedo trabajar en {folder}: no está en una carpeta permitida. Para permitirla: `{command}`',
  noSession: 'No encuentro esa sesión.',
  emptyPrompt: 'El prompt está vacío.',
  onePrompt: 'Esta sesión sigue ocupada con el último prompt.',
  unanswered: 'Todavía nadie ha contestado a esto. Puedes contestar en el próximo mensaje, o en el panel.',
});
