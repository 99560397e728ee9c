/** What settings are called and what they do, in other languages than English, whose descriptions are in the schema. */
import { servedBy } from './messages.ts';

export interface SettingWords {
  label: string;
  /** In Markdown; absent where the schema has no description either. */
  about?: string;
}

type Catalogue = Readonly<Record<string, SettingWords>>;

const OTHERS: Readonly<Record<string, () => Promise<{ settings: Catalogue }>>> = {
  de: () => import('./de/settings.ts'),
  es: () => import('./es/settings.ts'),
};

/** Returns what finds the words by a setting's path; it finds none for English, and for settings of plugins. */
export async function settingWords(
  language: string | undefined,
): Promise<(path: readonly string[]) => SettingWords | undefined> {
  const settings = (await OTHERS[servedBy(language) ?? 'en']?.())?.settings ?? {};
  return ([first = '', ...rest]) => {
    // Chat platforms share most of their settings.
    const shared = first === 'channels' ? settings[[first, '*', ...rest.slice(1)].join('.')] : undefined;
    return settings[[first, ...rest].join('.')] ?? shared;
  };
}
