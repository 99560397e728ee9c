/** Records a voice message, where the browser can: it is sent like one from a chat. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { words } from '../words.ts';
import { Button } from './common.tsx';
import { announce, showNotice } from './notices.tsx';

/** What transcribers read, in the order of preference. */
const FORMATS = ['audio/webm;codecs=opus', 'audio/ogg;codecs=opus', 'audio/mp4'];
const MAX_SECONDS = 600;

export const canRecord = (): boolean => typeof MediaRecorder === 'function' && navigator.mediaDevices !== undefined;

const recordedTime = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;

export function Recorder({ onRecorded }: { onRecorded: (file: File) => void }): JSX.Element {
  const recorder = useRef<MediaRecorder | undefined>(undefined);
  const seconds = useSignal<number | undefined>(undefined);
  useEffect(() => () => endTracks(recorder.current), []);
  const isOn = seconds.value !== undefined;
  useEffect(() => {
    if (!isOn) return undefined;
    const timer = setInterval(() => {
      seconds.value = (seconds.peek() ?? 0) + 1;
      if (seconds.peek() === MAX_SECONDS) recorder.current?.stop();
    }, 1_000);
    return () => clearInterval(timer);
  }, [isOn, seconds]);
  const startRecording = async () => {
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      const mimeType = FORMATS.find((format) => MediaRecorder.isTypeSupported(format));
      const made = new MediaRecorder(stream, mimeType === undefined ? {} : { mimeType });
      const pieces: Blob[] = [];
      made.addEventListener('dataavailable', ({ data }) => pieces.push(data));
      made.addEventListener('stop', () => {
        endTracks(made);
        const isKept = recorder.current === made && pieces.some(({ size }) => size > 0);
        recorder.current = undefined;
        seconds.value = undefined;
        if (isKept) onRecorded(recordedFile(pieces, made.mimeType));
      });
      recorder.current = made;
      made.start();
      seconds.value = 0;
      announce(words.composer.recording(recordedTime(0)));
    } catch {
      // Refused by the person or the browser, or there is none.
      showNotice(words.composer.noMicrophone, { warm: true });
    }
  };
  if (!isOn)
    return <Button kind="quiet" icon="mic" label={words.composer.record} onClick={() => void startRecording()} />;
  const dropRecording = () => {
    const made = recorder.current;
    recorder.current = undefined;
    made?.stop();
  };
  return (
    <span class="recording">
      <span class="pulse" aria-hidden="true" />
      <span>{words.composer.recording(recordedTime(seconds.value ?? 0))}</span>
      <Button kind="quiet" icon="cross" label={words.composer.dropRecording} onClick={dropRecording} />
      <Button kind="main" icon="send" label={words.composer.sendRecording} onClick={() => recorder.current?.stop()} />
    </span>
  );
}

function endTracks(made: MediaRecorder | undefined): void {
  for (const track of made?.stream.getTracks() ?? []) track.stop();
}

function recordedFile(pieces: readonly Blob[], given: string): File {
  const type = given.split(';', 1)[0] ?? '';
  const ending = { 'audio/mp4': 'm4a', 'audio/ogg': 'ogg' }[type] ?? 'webm';
  return new File([...pieces], `${words.composer.voiceName}.${ending}`, { type });
}
