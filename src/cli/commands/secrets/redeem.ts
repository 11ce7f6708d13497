import { parseSecretKey } from '../../../store/model/sharedSecret.js'
import { command } from '../../command.js'
import { accountOf, userOption } from '../../client/user.js'
import { keyFile, keyOf, passphraseOf, proofOf, proofOptions } from './proof.js'

/** `coffer secrets redeem`. */
export const redeem = command({
  path: ['secrets', 'redeem'],
  summary: 'Retrieve the value of a one-time secret',
  description:
    'Reads a key from stdin or a prompt, and prints the value: text as is, anything else as JSON. The value cannot be retrieved again, so save the output.\n\nA wrong passphrase destroys the secret; a missing one does not.',
  options: { keyFile, ...proofOptions, user: userOption },
  examples: [
    { type: 'coffer secrets redeem', description: 'prompt for the key' },
    { type: 'coffer secrets redeem --key-file key.txt --passphrase > keys.json', description: 'save to a file, with a passphrase' },
  ],
  json: '{"secret":…}, the result of sharedSecrets.retrieve',
  offline: true,
  async run(context, options) {
    const { out, connect } = context
    const key = await keyOf(context, options.keyFile)
    const passphrase = await passphraseOf(context, options, false)
    const client = await connect()
    const as = await accountOf(client, options.user)
    const answer = await client.call('sharedSecrets.retrieve', { key, ...signatureOf(passphrase, options.hmac, key) }, as)
    const { secret } = answer
    const value = typeof secret === 'string' ? secret : JSON.stringify(secret, null, 2)
    const print = async (): Promise<void> => {
      await out.data(`${value}\n`)
      out.note('Retrieved. The secret cannot be retrieved again.')
    }
    await out.result(answer, { id: value, print })
  },
})

function signatureOf(passphrase: string | undefined, isHmac: boolean, key: string): object {
  if (passphrase === undefined) return {}
  const { type, proof } = proofOf(passphrase, isHmac, parseSecretKey(key)?.half ?? '')
  return { signature: { type, payload: proof } }
}
