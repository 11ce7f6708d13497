/**
 * Certificate from an authority by ACME: serves a placeholder until it is issued, and renews it before expiry. On a platform of
 * several cores with one domain, one core renews it, and the others load what it stored.
 */
import { errorMessage } from '../../store/model/errorMessage.js'
import { NotRenewed, type CertificateFacts, type CertificateParts, type Certificates, type CertificateStore } from './certificate.js'
import { awaitTextRecord, otherNameServers } from './acme/nameServers.js'
import { takeRole, type Role } from './acme/renewer.js'
import { acmeStorage, CERTIFICATES, certificateId } from './acme/storage.js'
import { removeRenewalFiles, runRenewalHook } from './acme/renewalHook.js'
import { DAY_MS } from './expiry.js'
import { certificateInfo } from './certificateInfo.js'
import { isFor, pairOf, type Pair } from './pair.js'
import type { Config } from '../config/config.js'
import type { Log } from '../base/log.js'
import { addTextRecord } from '../platform/dns/names.js'
import type { Proof } from './acme/order.js'
import { certificateNames, usesDnsChallenge } from '../config/tlsConfig.js'

const CHECK_MS = 60_000
/** Maximum delay after repeated failures, since authorities block clients that keep failing. */
const MAX_WAIT_MS = 3_600_000
/** Remaining lifetime at which a placeholder is replaced. */
const PLACEHOLDER_RENEW_MS = 3_600_000

const PRODUCTION = 'https://acme-v02.api.letsencrypt.org/directory'
const STAGING = 'https://acme-staging-v02.api.letsencrypt.org/directory'

const directoryOf = (config: Config): string =>
  config.get('letsEncrypt.directoryUrl') ?? (config.get('letsEncrypt.staging') ? STAGING : PRODUCTION)

export function certificatesFromAcme({ config, log, now, publicBase }: CertificateParts, { registry, home }: CertificateStore): Certificates {
  const names = certificateNames(config)
  const isCommon = registry.isShared && names.length > 1
  const hostname = names.join(' and ')
  const directory = directoryOf(config)
  const script = config.get('letsEncrypt.onRotateScript')
  const stored = acmeStorage(registry)
  const nowMs = (): number => now() * 1000
  const answers = new Map<string, string>()
  const proof = usesDnsChallenge(config) ? textProof({ config, registry, log }) : httpProof(answers)
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
    const found = await stored.certificate(names[0])
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
    // Without the other cores, a placeholder is served until they can be asked.
    await readStored().catch((error: unknown) => log.error('the stored certificate could not be read', { error: String(error) }))
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

  /** Loads a certificate that another core has stored, and serves it. */
  async function loadIssued(): Promise<void> {
    const before = issued?.pair.cert
    await readStored()
    const pair = issued?.pair
    if (pair === undefined || pair.cert === before) return
    problem = undefined
    serve(pair)
  }

  function serve(pair: Pair): void {
    swap?.(pair)
    log.info('serving a new certificate', { names: pair.names, expires: new Date(pair.expiresAt).toISOString() })
    if (script !== null) void runRenewalHook(script, names[0], pair, { home, log })
  }

  /** Logs that the other cores cannot be asked: no certificate is ordered or loaded until then. */
  function unavailable(error: unknown): false {
    log.warn('the other cores cannot be asked about the certificate', { error: String(error) })
    return false
  }

  /** Returns whether this core orders certificates, and which core does. */
  const roleOf = (): Promise<Role> => (isCommon ? takeRole({ config, registry, now }) : Promise.resolve({ isRenewer: true }))

  /**
   * Orders a certificate when due, on the core that renews it. Before the first one, checks every minute, with growing delays after failures; then once a
   * day.
   */
  async function check(): Promise<void> {
    if (stopping === undefined) return
    // With each check, which keeps the role of this core.
    const isRenewer = await roleOf().then((role) => role.isRenewer, unavailable)
    if (isCommon && ordering === undefined) await loadIssued().catch(unavailable)
    if (ordering !== undefined || nowMs() < nextTry) return
    if (issued === undefined && placeholder !== undefined && placeholder.expiresAt - nowMs() < PLACEHOLDER_RENEW_MS) swap?.(await makePlaceholder())
    nextTry = nowMs() + (issued === undefined ? CHECK_MS : DAY_MS)
    if (isRenewer && isDue()) await order().catch(() => {})
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
      serve(pair)
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
    const unwatch = isCommon ? registry.records.watch(CERTIFICATES, storedAgain) : () => {}
    return () => {
      clearInterval(timer)
      unwatch()
      stopping?.abort(new Error('The node is stopping.'))
      stopping = undefined
    }
  }

  function storedAgain(id: string): void {
    if (id !== certificateId(names[0]) || ordering !== undefined) return
    loadIssued().catch((error: unknown) => log.error('the certificate of another core could not be loaded', { error: String(error) }))
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
        const { isRenewer, renewer } = await roleOf()
        if (!isRenewer) throw new Error(`Another core of the platform renews the certificate${renewer === undefined ? '' : `: ${renewer}`}. Run the command there.`)
        return certificateInfo(await order(), publicBase(), nowMs())
      } catch (error) {
        throw new NotRenewed(errorMessage(error), { cause: error })
      }
    },
  }
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

/** Maximum time that an order waits for the name servers of the other cores, in milliseconds. */
const NAME_SERVERS_MS = 10_000
const CHALLENGE_NAME = '_acme-challenge'

/**
 * Publishes TXT records for authorities (RFC 8555, 8.4); the same for a domain and for all names below it. Resolves when the name
 * servers of all cores answer with the record, or had time to.
 */
const textProof = ({ config, registry, log }: { config: Config; registry: CertificateStore['registry']; log: Log }): Proof => ({
  type: 'dns-01',
  async publish(_, answer) {
    const withdraw = await addTextRecord(registry.records, CHALLENGE_NAME, answer)
    const servers = otherNameServers(registry.cores, registry.core, config.get('dns.port'))
    const missing = await awaitTextRecord(servers, `${CHALLENGE_NAME}.${config.get('dns.domain') ?? ''}`, answer, NAME_SERVERS_MS)
    if (missing.length > 0) log.warn('name servers of other cores do not answer with the challenge of the certificate; the authority may ask them', { cores: missing })
    return withdraw
  },
})
