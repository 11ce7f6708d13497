import { createHash, randomBytes } from 'node:crypto'
import { renderUnicodeCompact } from 'uqr'
import { RANDOM_BYTES } from '../../../store/model/sharedSecret.js'
import { command, type Context } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { readContent } from '../../terminal/input/content.js'
import { readSecret } from '../../terminal/input/secret.js'
import { actingAs, authorityOf } from '../../client/access.js'
import { duration, flag, inputFile, text } from '../../framework/option.js'
import { when } from '../../terminal/output/format.js'
import { passphraseOf, proofOf, proofOptions } from './proof.js'

const HOUR = 3600
const TOO_LATE = 'This secret was already retrieved or has expired.'

/** `coffer secrets create`. */
export const create = command({
  path: ['secrets', 'create'],
  summary: 'Create a one-time secret',
  description:
    'Reads a value from stdin or a prompt, and prints a key. Anyone with the key can retrieve the value once, until it expires; after that the value is deleted from the node. The key is shown only once, because the node stores only a hash.\n\nThe value is JSON, or any text with --text. It is never an option, because other programs on this machine could read it.\n\nWith a passphrase the key alone is not enough; a wrong passphrase destroys the secret. With --hmac the passphrase stays on this machine: the node compares an HMAC of it.',
  options: {
    title: text('Title, shown to apps and in status', { required: true }),
    ttl: duration('Lifetime, such as 10m or 7d; defaults to 1h'),
    text: flag('Store the value as text, not as JSON'),
    file: inputFile('Read the value from a file'),
    message: text('Message shown after the secret was retrieved or has expired'),
    returnUrl: text('URL offered after the secret was retrieved or has expired, http or https', { placeholder: 'url' }),
    ...proofOptions,
    qr: flag('Also show the key as a QR code'),
    ...actingAs,
  },
  examples: [
    { type: "pwgen -s 24 1 | coffer secrets create --title 'Wi-Fi' --text", description: 'a password, for one hour' },
    { type: "coffer secrets create --title 'for Ben' --ttl 1d --passphrase --file keys.json", description: 'with a passphrase' },
  ],
  json: '{"sharedSecret":{"id","key","title","status","expires",…}}, the result of sharedSecrets.create',
  offline: true,
  async run(context, options) {
    const { out, terminal, connect, commandFor } = context
    const value = await readSecret(terminal, {
      prompt: 'Value',
      missing: '--file <file>',
      file: options.file,
      stdin: options.file === undefined && !terminal.mayAsk,
    })
    const secret = valueOf(value, options.text)
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
    const shared = (await client.call('sharedSecrets.create', params, as)).sharedSecret
    const key = `${shared.id}.${half}`
    await out.result({ sharedSecret: { ...shared, key } }, {
      id: key,
      print: async () => {
        const end = shared.expires
        out.done(`Secret created${end === undefined ? '' : `, valid until ${when(end)}`}. The key is shown only once:`)
        await out.line(key)
        if (options.qr) showCode(context, key)
        out.note(`  Retrieve the value: ${commandFor('secrets', 'redeem')}`)
      },
    })
  },
})

function signatureOf(passphrase: string, isHmac: boolean, half: string): { type: string; value: string } {
  const { type, proof } = proofOf(passphrase, isHmac, half)
  return { type, value: proof }
}

function valueOf(value: string, isText: boolean): unknown {
  try {
    return readContent(value, isText ? 'text' : 'json')
  } catch {
    throw usageError('The value is not JSON', 'Store it as text: --text')
  }
}

/** Prints the QR code on stderr, so that stdout carries only the key. */
function showCode({ out, terminal }: Context, key: string): void {
  const lines = renderUnicodeCompact(key, { border: 2 }).split('\n')
  if ([...(lines[0] ?? '')].length + 2 > terminal.width) out.note('The terminal is too narrow for the QR code.')
  else for (const line of lines) out.note(`  ${line}`)
}
