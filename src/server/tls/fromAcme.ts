/** Certificate from an authority by ACME: serves a placeholder until it is issued, and renews it before expiry. */
import { errorMessage } from '../../store/model/errorMessage.js'
import { NotRenewed, type CertificateFacts, type CertificateParts, type Certificates, type CertificateStore } from './certificate.js'
import { acmeStorage } from './acme/storage.js'
import { removeRenewalFiles, runRenewalHook } from './acme/renewalHook.js'
import { DAY_MS } from './expiry.js'
import { certificateInfo } from './certificateInfo.js'
import { isFor, pairOf, type Pair } from './pair.js'
import { publicBaseOf } from '../config/apiEndpoint.js'
import type { Config } from '../config/config.js'
import { addTextRecord } from '../platform/dns/names.js'
import type { Records } from '../platform/registry/port.js'
import type { Proof } from './acme/order.js'
import { usesDnsChallenge } from '../config/tlsConfig.js'

const CHECK_MS = 60_000
/** Maximum delay after repeated failures, since authorities block clients that keep failing. */
const MAX_WAIT_MS = 3_600_000
/** Remaining lifetime at which a placeholder is replaced. */
const PLACEHOLDER_RENEW_MS = 3_600_000

const PRODUCTION = 'https://acme-v02.api.letsencrypt.org/directory'
const STAGING = 'https://acme-staging-v02.api.letsencrypt.org/directory'

const directoryOf = (config: Config): string =>
  config.get('letsEncrypt.directoryUrl') ?? (config.get('letsEncrypt.staging') ? STAGING : PRODUCTION)

export function certificatesFromAcme({ config, log, now, publicBase }: CertificateParts, { records, seal, home }: CertificateStore): Certificates {
  const names = namesFor(config)
  const hostname = names.join(' and ')
  const directory = directoryOf(config)
  const script = config.get('letsEncrypt.onRotateScript')
  const stored = acmeStorage(records, seal)
  const nowMs = (): number => now() * 1000
  const answers = new Map<string, string>()
  const proof = usesDnsChallenge(config) ? textProof(records) : httpProof(answers)
  /** The issued certificate and its authority; the placeholder is served while there is none. */
  let issued: { pair: Pair; directory: string } | undefined
  let placeholder: Pair | undefined
  let swap: ((pair: Pair) => void) | undefined
  let stopping: AbortController | undefined
  let ordering: Promise<Pair> | undefined
  let problem: string | undefined
  let failures = 0
  let nextTry = 0

  const judged = (texts: { cert: string; key: Pair['key'] }): Pair => {
    const about = `for ${hostname}`
    const pair = pairOf(texts, { certFile: about, keyFile: about }, nowMs())
    const lacking = names.find((name) => !isFor(pair, oneOf(name)))
    if (lacking !== undefined) throw new Error(`The certificate does not cover ${lacking}, only ${pair.names.join(', ')}.`)
    return pair
  }

  /** Loads the stored certificate if it is usable. */
  async function readStored(): Promise<void> {
    const found = await stored.certificate()
    if (found === undefined || found.hostname !== hostname) return
    try {
      issued = { pair: judged(found), directory: found.directory }
    } catch (error) {
      problem = errorMessage(error)
      log.warn('the stored certificate is not served', { problem })
    }
  }

  async function load(): Promise<Pair> {
    await removeRenewalFiles(home)
    await readStored()
    return issued?.pair ?? makePlaceholder()
  }

  async function makePlaceholder(): Promise<Pair> {
    const { placeholderFor } = await import('./acme/placeholder.js')
    placeholder = judged(await placeholderFor(names, nowMs()))
    return placeholder
  }

  const isDue = (): boolean =>
    issued === undefined ||
    issued.directory !== directory ||
    issued.pair.expiresAt - nowMs() < config.get('letsEncrypt.renewBeforeDays') * DAY_MS

  /**
   * Orders a certificate when due. Before the first one, checks every minute, with growing delays after failures; then once a
   * day.
   */
  async function check(): Promise<void> {
    if (stopping === undefined || ordering !== undefined || nowMs() < nextTry) return
    if (issued === undefined && placeholder !== undefined && placeholder.expiresAt - nowMs() < PLACEHOLDER_RENEW_MS) swap?.(await makePlaceholder())
    nextTry = nowMs() + (issued === undefined ? CHECK_MS : DAY_MS)
    if (isDue()) await order().catch(() => {})
  }

  /** Orders a certificate; concurrent calls share one order. */
  function order(): Promise<Pair> {
    const { signal } = stopping ?? new AbortController()
    return (ordering ??= ordered(signal).finally(() => (ordering = undefined)))
  }

  async function ordered(signal: AbortSignal): Promise<Pair> {
    try {
      const { obtain } = await import('./acme/order.js')
      const account = await stored.account(directory)
      const keepAccount = stored.putAccount
      const texts = await obtain({ names, directory, email: config.get('letsEncrypt.email'), account, storeAccount: keepAccount, proof, signal })
      const pair = judged(texts)
      signal.throwIfAborted()
      await stored.putCertificate({ ...texts, hostname, directory })
      issued = { pair, directory }
      problem = undefined
      failures = 0
      nextTry = nowMs() + DAY_MS
      swap?.(pair)
      log.info('serving a new certificate', { names: pair.names, expires: new Date(pair.expiresAt).toISOString() })
      if (script !== null) void runRenewalHook(script, names[0], pair, { home, log })
      return pair
    } catch (error) {
      if (!signal.aborted) {
        problem = errorMessage(error)
        failures += 1
        if (issued === undefined) nextTry = nowMs() + Math.min(MAX_WAIT_MS, CHECK_MS * 2 ** (failures - 1))
        log.error('failed to obtain a certificate', { hostname, problem, directory })
      }
      throw error
    }
  }

  function follow(give: (pair: Pair) => void): () => void {
    swap = give
    stopping = new AbortController()
    const timer = setInterval(() => {
      check().catch((error: unknown) => log.error('failed to check the certificate', { error: String(error) }))
    }, CHECK_MS)
    timer.unref()
    return () => {
      clearInterval(timer)
      stopping?.abort(new Error('The node is stopping.'))
      stopping = undefined
    }
  }

  /** Returns the served pair, or for a node that does not listen, the one it would serve. */
  async function known(): Promise<Pair | undefined> {
    if (issued === undefined && stopping === undefined) await readStored()
    return issued?.pair
  }

  function stateProblem(pair: Pair | undefined): { fault: 'not-issued' | 'not-renewed'; message: string } | null {
    if (pair === undefined) {
      return { fault: 'not-issued', message: `No certificate for ${hostname} yet; clients reject the placeholder. ${problem ?? 'An order is in progress.'}` }
    }
    return problem === undefined ? null : { fault: 'not-renewed', message: `The certificate for ${hostname} could not be renewed. ${problem}` }
  }

  return {
    isOn: true,
    load,
    check,
    follow,
    expiresAt: () => issued?.pair.expiresAt,
    async list() {
      const pair = await known()
      return pair === undefined ? [] : [certificateInfo(pair, publicBase(), nowMs())]
    },
    async state() {
      const pair = await known()
      return {
        certificate: pair === undefined ? null : { ...certificateInfo(pair, publicBase(), nowMs()), names: pair.names, coversAddress: isFor(pair, new URL(publicBase()).hostname) },
        problem: stateProblem(pair),
        isKeyOpen: false,
      }
    },
    answerTo: (token) => answers.get(token),
    async renew(input): Promise<CertificateFacts> {
      if (input !== undefined && !names.includes(input)) throw new NotRenewed(`This node has a certificate for ${hostname} only.`)
      if (stopping === undefined) throw new NotRenewed('The node is not listening, so the authority cannot validate the name.')
      try {
        return certificateInfo(await order(), publicBase(), nowMs())
      } catch (error) {
        throw new NotRenewed(errorMessage(error), { cause: error })
      }
    },
  }
}

/** Returns the names for the certificate: the node's own, or those of all accounts. */
function namesFor(config: Config): readonly [string, ...string[]] {
  const domain = config.get('dns.domain')
  return usesDnsChallenge(config) && domain !== null ? [domain, `*.${domain}`] : [new URL(publicBaseOf(config) ?? '').hostname]
}

/** Returns a concrete name that a certificate for `name` must cover. */
const oneOf = (name: string): string => name.replace('*', 'any')

const httpProof = (answers: Map<string, string>): Proof => ({
  type: 'http-01',
  publish(token, answer) {
    answers.set(token, answer)
    return Promise.resolve(() => Promise.resolve(void answers.delete(token)))
  },
})

/** Publishes TXT records for authorities (RFC 8555, 8.4); the same for a domain and for all names below it. */
const textProof = (records: Records): Proof => ({ type: 'dns-01', publish: (_, answer) => addTextRecord(records, '_acme-challenge', answer) })
