import { createHash, randomBytes } from 'node:crypto'
import { renderUnicodeCompact } from 'uqr'
import { RANDOM_BYTES } from '../../../store/model/sharedSecret.js'
import { command, type Context } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { readContent } from '../../terminal/input/content.js'
import { readSecret } from '../../terminal/input/secret.js'
import { actingAs, authorityOf } from '../../client/access.js'
import { numberOf, recordOf, textOf } from '../../client/answer.js'
import { duration, flag, text } from '../../framework/option.js'
import { when } from '../../terminal/output/format.js'
import { passphraseOf, proofOf, proofOptions } from './proof.js'

const HOUR = 3600
const TOO_LATE = 'This secret has been taken already, or its time is over.'

/** `coffer secrets create`. */
export const create = command({
  path: ['secrets', 'create'],
  summary: 'Keep a value that is handed over once',
  description:
    'Reads a value from stdin, or asks for it, and prints a key. Whoever has the key can take the value, once and until its time is over; nobody can take it again, and nothing of it stays on the node. The key is shown this once: only a hash is kept.\n\nThe value is JSON, or with --text any text. It is never the value of an option, which other programs of this machine could read.\n\nWith a passphrase the key alone is not enough; a wrong one ends the secret. With --hmac the passphrase stays here: the node compares what follows from it.',
  options: {
    title: text('What it is, for you: apps and status show it', { required: true }),
    ttl: duration('How long it can be taken, such as 10m or 7d; 1h without it'),
    text: flag('Take the value as text, not as JSON'),
    file: text('Read the value from a file', { placeholder: 'file', completes: 'file' }),
    message: text('What those read who come too late'),
    returnUrl: text('Where those can go who come too late, http or https', { placeholder: 'url' }),
    ...proofOptions,
    qr: flag('Show the key as a QR code too'),
    ...actingAs,
  },
  examples: [
    { type: "pwgen -s 24 1 | coffer secrets create --title 'Wi-Fi' --text", says: 'a password, for an hour' },
    { type: "coffer secrets create --title 'for Ben' --ttl 1d --passphrase --file keys.json", says: 'with a passphrase' },
  ],
  json: '{"sharedSecret":{"id","key","title","status","expires",…}}, the result of sharedSecrets.create',
  offline: true,
  async run(context, options) {
    const { out, terminal, connect, commandFor } = context
    const given = await readSecret(terminal, {
      prompt: 'Value',
      missing: '--file <file>',
      file: options.file,
      stdin: options.file === undefined && !terminal.mayAsk,
    })
    const secret = valueOf(given, options.text)
    const passphrase = await passphraseOf(context, options, true)
    const half = randomBytes(RANDOM_BYTES).toString('base64url')
    const client = await connect()
    const as = await authorityOf(client, options)
    const params = {
      ttl: options.ttl ?? HOUR,
      title: options.title,
      onConsumed: { message: options.message ?? TOO_LATE, ...(options.returnUrl === undefined ? {} : { returnUrl: options.returnUrl }) },
      secret,
      keyHash: createHash('sha256').update(half).digest('hex'),
      ...(passphrase === undefined ? {} : { signature: signatureOf(passphrase, options.hmac, half) }),
    }
    const shared = recordOf((await client.call('sharedSecrets.create', params, as))['sharedSecret'])
    const key = `${textOf(shared['id'])}.${half}`
    await out.result({ sharedSecret: { ...shared, key } }, {
      id: key,
      print: async () => {
        const end = numberOf(shared['expires'])
        out.done(`Kept once${end === undefined ? '' : `, until ${when(end)}`}. The key, shown this once:`)
        await out.line(key)
        if (options.qr) showCode(context, key)
        out.note(`  Take the value: ${commandFor('secrets', 'redeem')}`)
      },
    })
  },
})

function signatureOf(passphrase: string, isHmac: boolean, half: string): { type: string; value: string } {
  const { type, proof } = proofOf(passphrase, isHmac, half)
  return { type, value: proof }
}

function valueOf(given: string, isText: boolean): unknown {
  try {
    return readContent(given, isText ? 'text' : 'json')
  } catch {
    throw usageError('The value is not JSON', 'Take it as text: --text')
  }
}

/** On stderr, so that stdout is the key alone. */
function showCode({ out, terminal }: Context, key: string): void {
  const lines = renderUnicodeCompact(key, { border: 2 }).split('\n')
  if ([...(lines[0] ?? '')].length + 2 > terminal.width) out.note('This terminal is too narrow for the QR code.')
  else for (const line of lines) out.note(`  ${line}`)
}
