/** A table of routes, and finding the one a request is for. */
import type { Body } from './body.ts';
import type { Platform } from './platform.ts';

export interface Call {
  platform: Platform;
  params: Record<string, string>;
  query: Record<string, string>;
  body: Body;
}

export interface Route {
  /** Method and path, `GET /channels/:id`. */
  on: string;
  /** Needs no bot token: there is another in its path. */
  open?: true;
  /** The answer's body; undefined answers 204. Throws ApiError. */
  call(call: Call): unknown;
  /** Status when not 200. */
  status?: number;
}

export interface Found {
  route: Route;
  params: Record<string, string>;
}

export type Finder = (method: string, path: string) => Found | 'other-method' | undefined;

/** A piece of the path; one that cannot be decoded stays as it is and so leads nowhere. */
function decoded(piece: string): string {
  try {
    return piece.includes('%') ? decodeURIComponent(piece) : piece;
  } catch (error) {
    if (error instanceof URIError) return piece;
    throw error;
  }
}

/** Routes are looked up by how many pieces their path has, then piece by piece; a literal comes before a parameter. */
export function createFinder(routes: Route[]): Finder {
  const table = routes.map((route) => {
    const [method = '', path = ''] = route.on.split(' ');
    return { route, method, pieces: path.split('/') };
  });
  const byLength = Map.groupBy(table, (each) => each.pieces.length);

  function match(pieces: string[], real: string[]): Record<string, string> | undefined {
    const params: Record<string, string> = {};
    for (const [index, piece] of pieces.entries()) {
      const value = real[index] ?? '';
      if (piece.startsWith(':') && value !== '') params[piece.slice(1)] = value;
      else if (piece !== value) return undefined;
    }
    return params;
  }

  return (method, path) => {
    const real = path.split('/').map(decoded);
    let isPath = false;
    for (const each of byLength.get(real.length) ?? []) {
      const params = match(each.pieces, real);
      if (!params) continue;
      if (each.method === method) return { route: each.route, params };
      isPath = true;
    }
    return isPath ? 'other-method' : undefined;
  };
}
