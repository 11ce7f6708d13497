/** Reads secrets from stdin, a file or a hidden prompt; never from an option value. */
import { StringDecoder } from 'node:string_decoder'
import { CommandError, usageError } from '../../framework/exit.js'
import { printable } from '../output/text.js'
import { askAgain } from './askAgain.js'
import { readInput, STDIN } from './text.js'
import type { Terminal } from '../terminal.js'

interface SecretSource {
  /** Name of the secret in the prompt: "Password". */
  prompt: string
  /** True when `--…-stdin` was given. */
  stdin?: boolean
  /** A path, also written `file:<path>`, or `-` for stdin. */
  file?: string | undefined
  /** Option named when no prompt is possible: "--password-stdin". */
  missing: string
  /** Prompts twice, for new secrets, and again after a mismatch or a refused secret. */
  twice?: boolean
  /** Requirements of the secret, printed before the prompt. */
  requirement?: string
  /** Uses a typed secret. Throws a failure for one to type again. */
  accept?: (secret: string) => Promise<void>
}

/**
 * Reads a secret, without one trailing line break. `accept` and repeated prompts only apply to a prompt.
 * @throws CommandError 2 when it is empty or no prompt is possible, 130 on cancellation; the failure of `accept` in the last attempt
 */
export async function readSecret(terminal: Terminal, source: SecretSource): Promise<string> {
  const isStdin = readsStdin(source)
  // A person at the terminal types it without echo.
  if (isStdin && !terminal.mayAsk) return notEmpty(withoutLineEnd(await terminal.readAll(`the ${wordFor(source)}`)), source)
  if (source.file !== undefined && !isStdin) {
    const file = source.file.replace(/^file:/, '')
    return notEmpty(withoutLineEnd(await readInput(terminal, file, source.prompt, 2)), source)
  }
  if (!terminal.mayAsk) {
    throw usageError(`${source.missing} is missing, and no prompt is possible: ${source.prompt}`)
  }
  if (source.requirement !== undefined) terminal.writeStderr(`${printable(source.requirement)}\n`)
  if (source.twice !== true) return promptOnce(terminal, source)
  return askAgain(terminal, () => promptOnce(terminal, source))
}

const readsStdin = ({ stdin, file }: Pick<SecretSource, 'stdin' | 'file'>): boolean => stdin === true || file === STDIN

/** Returns the name of a secret within a sentence: `new password for ana`. */
const wordFor = ({ prompt }: SecretSource): string => `${prompt.charAt(0).toLowerCase()}${prompt.slice(1)}`

/** Returns true when `readSecret` will prompt. */
export const willPrompt = ({ mayAsk }: Terminal, source: Pick<SecretSource, 'stdin' | 'file'>): boolean =>
  mayAsk && (readsStdin(source) || source.file === undefined)

async function promptOnce(terminal: Terminal, source: SecretSource): Promise<string> {
  const typed = notEmpty(await askHidden(terminal, `${source.prompt}: `), source)
  if (source.twice === true && (await askHidden(terminal, `${source.prompt} again: `)) !== typed) {
    throw usageError('The two entries differ.')
  }
  await source.accept?.(typed)
  return typed
}

function notEmpty(secret: string, { prompt, missing }: SecretSource): string {
  if (secret === '') throw usageError(`${prompt} is empty; pass it with ${missing}`)
  return secret
}

function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, '')
}

/** Prompts on stderr and reads keys without echo. */
function askHidden(terminal: Terminal, question: string): Promise<string> {
  const { stdin } = terminal.streams
  const decoder = new StringDecoder('utf8')
  // Disables echo before the prompt, for fast typists and scripts.
  stdin.setRawMode?.(true)
  terminal.writeStderr(printable(question))
  return new Promise((submit, reject) => {
    let typed: string[] = []
    const finish = (): void => {
      stdin.off('data', onData)
      stdin.off('end', onEnd)
      stdin.setRawMode?.(false)
      stdin.pause()
      terminal.writeStderr('\n')
    }
    const cancel = (): void => {
      finish()
      reject(new CommandError('Cancelled.', { exit: 130 }))
    }
    const onEnd = (): void => cancel()
    const onData = (chunk: Buffer): void => {
      const keys = decoder.write(chunk)
      // Ignore arrow and function keys, which arrive as one escape sequence.
      if (keys.startsWith('\u001b')) return
      for (const key of keys) {
        if (key === '\u0003' || key === '\u0004') return cancel()
        if (key === '\r' || key === '\n') {
          finish()
          return submit(typed.join(''))
        }
        if (key === '\u007f' || key === '\b') typed = typed.slice(0, -1)
        else if (key === '\u0015') typed = []
        else if (key >= ' ') typed.push(key)
      }
    }
    stdin.on('data', onData)
    stdin.on('end', onEnd)
    stdin.resume()
  })
}
