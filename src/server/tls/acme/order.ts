/** A certificate order by ACME (RFC 8555). */
import { setTimeout as wait } from 'node:timers/promises'
import { Secret } from '../../../store/model/secret.js'
import type { AcmeAccount } from './storage.js'

/** Proof of control over a name for the authority: by an HTTP response, or by a DNS TXT record. */
export interface Proof {
  type: 'http-01' | 'dns-01'
  /** Publishes `answer` for `token`; returns a function that withdraws it. */
  publish(token: string, answer: string): Promise<() => Promise<void>>
}

interface Order {
  /** Names of the certificate; `*.example.org` covers all names below. */
  names: readonly [string, ...string[]]
  /** URL of the authority's directory. */
  directory: string
  email: string | null
  /** Account with this authority, if any. */
  account: AcmeAccount | undefined
  /** Stores a new account, and its URL once known. */
  storeAccount(account: AcmeAccount): Promise<void>
  proof: Proof
  /** Aborted at shutdown. */
  signal: AbortSignal
}

/** Timeout in milliseconds for the authority to validate a challenge or issue the certificate. */
const TIMEOUT_MS = 180_000
const POLL_MS = 1000
const REQUEST_MS = 30_000

/** Obtains a certificate with a new key. Rejects with the error of the authority, or of the connection to it. */
export async function obtain(input: Order): Promise<{ cert: string; key: Secret<string> }> {
  try {
    return await ordered(input)
  } catch (error) {
    if (!(error instanceof Error) || !('isAxiosError' in error)) throw error
    const why = error.message || ('code' in error ? String(error.code) : 'no answer')
    throw new Error(`The authority at ${new URL(input.directory).host} cannot be reached: ${why}`, { cause: error })
  }
}

async function ordered({ names, directory, email, account: known, storeAccount, proof, signal }: Order): Promise<{ cert: string; key: Secret<string> }> {
  const { default: acme } = await import('acme-client')
  acme.axios.defaults.timeout = REQUEST_MS
  // Disables the library's retries, which could not be aborted and hide the cause. The caller retries.
  acme.axios.interceptors.request.clear()
  acme.axios.interceptors.response.clear()
  const account = known ?? { directory, key: new Secret(String(await acme.crypto.createPrivateEcdsaKey())) }
  if (known === undefined) await storeAccount(account)
  const client = new acme.Client({
    directoryUrl: directory,
    accountKey: account.key.reveal(),
    ...(account.url === undefined ? {} : { accountUrl: account.url }),
    backoffAttempts: 1,
    backoffMin: 1,
    backoffMax: 1,
  })
  if (account.url === undefined) {
    // For a known key, an authority returns the existing account.
    await client.createAccount({ termsOfServiceAgreed: true, ...(email === null ? {} : { contact: [`mailto:${email}`] }) })
    await storeAccount({ ...account, url: client.getAccountUrl() })
  }
  const order = await client.createOrder({ identifiers: names.map((value) => ({ type: 'dns', value })) })
  for (const authorization of await client.getAuthorizations(order)) {
    if (authorization.status === 'valid') continue
    const challenge = authorization.challenges.find(({ type }) => type === proof.type)
    if (challenge === undefined) throw new Error(`The authority offers no challenge of the kind ${proof.type} for ${authorization.identifier.value}.`)
    const end = await proof.publish(challenge.token, await client.getChallengeKeyAuthorization(challenge))
    try {
      await client.completeChallenge(challenge)
      await settled(() => client.waitForValidStatus(challenge), signal)
    } finally {
      await end()
    }
  }
  const [key, request] = await acme.crypto.createCsr({ commonName: names[0], altNames: [...names] }, await acme.crypto.createPrivateEcdsaKey())
  const finalized = await client.finalizeOrder(order, request)
  const cert = await settled(() => client.getCertificate(finalized), signal)
  return { cert, key: new Secret(String(key)) }
}

/** Polls until the authority has decided. */
async function settled<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let waited = 0; ; waited += POLL_MS) {
    signal.throwIfAborted()
    try {
      return await ask()
    } catch (error) {
      // Message of the library for a pending state.
      if (!(error instanceof Error) || error.message !== 'Operation is pending or processing') throw error
      if (waited >= TIMEOUT_MS) throw new Error('The authority did not respond within three minutes.', { cause: error })
    }
    await wait(POLL_MS, undefined, { signal, ref: false })
  }
}
