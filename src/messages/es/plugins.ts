/** Por qué no se carga un plugin que nombra la configuración. */
import { translate } from '../arguments.ts';
import { plugins as english } from '../en/plugins.ts';

export const plugins = translate(english)({
  cannotLoad: 'no se puede cargar {source}: {why}',
  noFile: 'este archivo o esta carpeta no existe',
  noPackage:
    'no hay ningún paquete así junto al gateway ni en node_modules de la carpeta de datos; una ruta empieza por ./ o /',
  noEntry: '{folder} no tiene ninguno de estos archivos: {names}',
  late: 'sigue sin cargarse después de {seconds, plural, one {# segundo} other {# segundos}}',
  exits: 'termina el proceso',
  noExport: 'no exporta un {what}: se esperaba uno como export por defecto',
  name: 'su nombre debe constar de a-z, 0-9 y - (como máximo 32 caracteres)',
  section: 'es el canal {name}, así que su sección debe ser channels.{name}',
  builtIn: '{name} es un canal integrado',
  pattern: 'su accountPattern debe ser el texto de una expresión regular',
  lacks: 'le falta {what}',
  lateSettings: 'sus ajustes siguen sin estar después de {seconds, plural, one {# segundo} other {# segundos}}',
  schema: 'sus ajustes no son un esquema de zod',
  taken: 'ya hay una función llamada {name}',
});
