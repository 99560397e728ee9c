/** Editors that speak the Agent Client Protocol: `viber acp`, a program between the editor and the running gateway. */
import type { Feature } from '../gateway.ts';
import { answerEditor } from './requests.ts';

export const acp: Feature = {
  name: 'acp',
  requests: { acp: answerEditor },
};
