/** One document to text, in a thread of its own that is ended when it takes too long or too much memory. */
import { readFile } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { readText } from './by-content.ts';
import { Refused } from './refused.ts';

export type WorkerAnswer = { text: string } | { refused: string };

const { path } = workerData as { path: string };

async function answer(): Promise<WorkerAnswer> {
  try {
    return { text: await readText(new Uint8Array(await readFile(path))) };
  } catch (error) {
    if (error instanceof Refused) return { refused: error.message };
    throw error;
  }
}

parentPort?.postMessage(await answer());
