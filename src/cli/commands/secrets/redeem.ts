import { parseSecretKey } from '../../../store/model/sharedSecret.js'
import { command } from '../../command.js'
import { accountOf, userOption } from '../../client/user.js'
import { keyFile, keyOf, passphraseOf, proofOf, proofOptions } from './proof.js'

/** `coffer secrets redeem`. */
export const redeem = command({
  path: ['secrets', 'redeem'],
  summary: 'Take the value of a secret, once',
  description:
    'Reads a key from stdin, or asks for it, and prints the value: a text as it is, anything else as JSON. Nobody can take it again afterwards, so keep what is printed.\n\nA wrong passphrase ends the secret. One that is lacking changes nothing.',
  options: { keyFile, ...proofOptions, user: userOption },
  examples: [
    { type: 'coffer secrets redeem', says: 'asks for the key' },
    { type: 'coffer secrets redeem --key-file key.txt --passphrase > keys.json', says: 'into a file, by a passphrase' },
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
      out.note('Taken. Nobody can take it again.')
    }
    await out.result(answer, { id: value, print })
  },
})

function signatureOf(passphrase: string | undefined, isHmac: boolean, key: string): object {
  if (passphrase === undefined) return {}
  const { type, proof } = proofOf(passphrase, isHmac, parseSecretKey(key)?.half ?? '')
  return { signature: { type, payload: proof } }
}
