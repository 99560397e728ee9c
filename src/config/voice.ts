/** Voice messages: who writes them down, and who speaks. */
export interface VoiceConfig {
  /** `provider/model` that writes recordings down; absent: the first provider that has a key. */
  model?: string;
  /** A program of this machine and its arguments, asked where no provider can; `{file}` is the recording. */
  command: string[];
  /** ISO 639-1, where everybody speaks the same. */
  language?: string;
  /** Longer recordings are not written down. */
  max_seconds: number;
  /** Whether what was heard is quoted in the chat. */
  echo: 'on' | 'off';
  /** `same`: a voice message is answered by voice, with the text beside it. */
  reply: 'off' | 'same';
  /** `provider/model` that speaks. */
  speech: string;
  /** Whose voice it has. */
  speaker: string;
}
