/** The headers are those that browsers send. */
import { expect, test } from 'vitest';
import { browserName } from '../../../src/board/ui/parts/browser-name.ts';

const KIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';
test.each(
  // biome-ignore format: a row is a line
  [
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox, Linux'],
    [`Mozilla/5.0 (X11; Linux x86_64) ${KIT} HeadlessChrome/142.0.0.0 Safari/537.36`, 'Chrome, Linux'],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${KIT} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`, 'Edge, Windows'],
    [`Mozilla/5.0 (Linux; Android 10; K) ${KIT} Chrome/142.0.0.0 Mobile Safari/537.36`, 'Chrome, Android'],
    [`Mozilla/5.0 (Linux; Android 10; K) ${KIT} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`, 'Samsung Internet, Android'],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1', 'Safari, iPhone'],
    ['Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/142.0.0.0 Mobile/15E148 Safari/604.1', 'Chrome, iPad'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15', 'Safari, macOS'],
    ['curl/8.14.1', 'curl/8.14.1'],
    ['x'.repeat(500), 'x'.repeat(60)],
    ['Firefox on Linux', 'Firefox on Linux'],
    ['', ''],
  ],
)('%s', (agent, name) => expect(browserName(agent)).toBe(name));
