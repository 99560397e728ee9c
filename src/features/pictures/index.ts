/** Pictures: draws and changes them with a provider's model. */
import { bind } from '../../runtime/tools/bind.ts';
import { configOf, type Feature } from '../gateway.ts';
import { checkPictures } from './provider.ts';
import { createPicture } from './tool.ts';

export const pictures: Feature = {
  name: 'pictures',
  isSetUp: (at) => configOf(at).pictures.model !== undefined,
  offers: {
    known: [createPicture],
    when: ({ principal }) => principal.role !== 'guest',
    tools: async (order, _own, scope, gw) => ({ tools: [bind(createPicture, { gw, scope, order })] }),
  },
  async check(at) {
    const { pictures, providers } = configOf(at);
    return checkPictures(pictures.model, providers, at.env);
  },
};
