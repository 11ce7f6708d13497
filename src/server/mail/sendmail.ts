/** Delivery through the sendmail program of this machine. */
import { spawn } from 'node:child_process'
import type { Config } from '../config/config.js'
import type { Deliver, Recipient } from './letter.js'
import { messageOf } from './smtp.js'

const MAX_OUTPUT = 2000

/** The sendmail program rejected the mail; the message is its output. */
export class SendmailFailed extends Error {}

/** Returns a delivery through the configured program, which is killed on timeout. */
export function sendmailDelivery(config: Config, from: () => Required<Recipient>): Deliver {
  const program = config.get('services.email.smtp.path')
  return async (letter, { signal }) => {
    const sender = from()
    const page = await letter.render()
    const { createTransport } = await import('nodemailer')
    const composer = createTransport({ streamTransport: true, buffer: true, newline: 'unix' })
    const { message } = await composer.sendMail(messageOf(letter, page, sender))
    signal.throwIfAborted()
    if (!Buffer.isBuffer(message)) throw new Error('The mail was not composed.')
    await pipe(program, ['-i', '-f', sender.address, letter.to.address], message, signal)
  }
}

function pipe(program: string, args: string[], input: Buffer, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    // Passes only what is needed to find programs and files: the node's environment may hold secrets.
    const { PATH = '', LANG = '' } = process.env
    const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'pipe'], signal, killSignal: 'SIGKILL', env: { PATH, LANG } })
    let output = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (output.length < MAX_OUTPUT) output += text
    })
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve()
      else reject(new SendmailFailed(output.trim() === '' ? `exit code ${String(code)}` : output.trim()))
    })
    // A program that exits early reports the reason by its exit code.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}
