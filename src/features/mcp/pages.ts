/**
 * Reads the pages of a server's list.
 * https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination
 */
import { isRecord } from '../../lib/json.ts';

interface ListPage {
  nextCursor?: string | undefined;
}

interface PageReading<Page> {
  read(which: { params?: { cursor: string } }): Promise<Page>;
  maxPages: number;
  /** Called if the server refuses a later page; the earlier ones count. */
  onRefused(error: unknown): void;
}

/** Ends at a cursor that it has followed before: some servers repeat one forever. An empty cursor is valid. */
export async function* listPages<Page extends ListPage>({ read, maxPages, onRefused }: PageReading<Page>) {
  const followed = new Set<string>();
  let cursor: string | undefined;
  for (let count = 0; count < maxPages; count++) {
    let page: Page;
    try {
      page = await read(cursor === undefined ? {} : { params: { cursor } });
    } catch (error) {
      if (count === 0 || !isRefusedPage(error)) throw error;
      onRefused(error);
      return;
    }
    yield page;
    cursor = page.nextCursor;
    if (cursor === undefined || followed.has(cursor)) return;
    followed.add(cursor);
  }
}

/** Returns whether the server itself refused the request; any other error means that the connection is at fault. */
const isRefusedPage = (error: unknown): boolean =>
  isRecord(error) && (typeof error.code === 'number' || error.statusCode === 400);
