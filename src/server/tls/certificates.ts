/** The certificate that the node serves HTTPS with: read at the start, taken up anew when its files change. */
import { stat } from 'node:fs/promises'
import type { Config } from '../config.js'
import type { Log } from '../log.js'
import { DAY_MS, FEW_DAYS } from './days.js'
import { CertificateProblem, isFor, pairOf, readTexts, type Pair, type PairFault, type PairFiles } from './pair.js'

/** One certificate, as the operator is told of it. */
export interface CertificateFacts {
  hostname: string
  /** Milliseconds since 1970. */
  issuedAt: number
  expiresAt: number
  /** Rounded; below zero once it has expired. */
  daysUntilExpiry: number | null
}

/** All there is to know of the certificate of a node, but its key. */
export interface CertificateState {
  /** What is served, or would be; null when there is none that can be. */
  certificate: (CertificateFacts & { names: string[]; coversAddress: boolean }) | null
  /** Why what is in the files now is not served. */
  problem: { fault: PairFault; setting: string; file: string; message: string } | null
  certFile: string
  keyFile: string
  /** Whether others than the owner may open the file of the key. */
  isKeyOpen: boolean
}

export interface Certificates {
  /** Whether the node serves HTTPS itself. */
  readonly isOn: boolean
  /**
   * Reads the pair, to be served from now on.
   * @throws CertificateProblem when it cannot be
   */
  load(): Promise<Pair>
  /** Looks each minute whether the files have changed, and gives `swap` the pair that is to be served instead. Answers how to stop. */
  follow(swap: (pair: Pair) => void): () => void
  /** Looks now. */
  look(): Promise<void>
  /** When what is served expires, in milliseconds since 1970. */
  expiresAt(): number | undefined
  /** The certificates, as the interface lists them. */
  list(): Promise<CertificateFacts[]>
  /** Looks, and tells; undefined when it is off. */
  state(): Promise<CertificateState | undefined>
}

export interface CertificateParts {
  config: Config
  log: Log
  /** Seconds since 1970. */
  now(): number
  /** The address by which clients reach the node. */
  publicBase(): string
}

const LOOK_MS = 60_000

/** Whether the settings have the node serve HTTPS itself. */
export const servesTls = (config: Config): boolean => filesOf(config) !== undefined

function filesOf(config: Config): PairFiles | undefined {
  const certFile = config.get('http.ssl.certFile')
  const keyFile = config.get('http.ssl.keyFile')
  return certFile === null || keyFile === null ? undefined : { certFile, keyFile }
}

export function createCertificates({ config, log, now, publicBase }: CertificateParts): Certificates {
  const files = filesOf(config)
  const nowMs = (): number => now() * 1000
  let served: Pair | undefined
  let problem: CertificateProblem | undefined
  let swap: ((pair: Pair) => void) | undefined
  let warned = 0

  async function load(): Promise<Pair> {
    if (files === undefined) throw new Error('no certificate is set')
    served = pairOf(await readTexts(files), files, nowMs())
    problem = undefined
    if (await isOpenToOthers(files.keyFile)) log.warn('the key of the certificate can be read by others than its owner', { file: files.keyFile })
    warnOfEnd(served)
    return served
  }

  async function look(): Promise<void> {
    if (files === undefined || served === undefined) return
    try {
      const texts = await readTexts(files)
      if (texts.cert !== served.cert || texts.key.reveal() !== served.key.reveal()) {
        served = pairOf(texts, files, nowMs())
        swap?.(served)
        log.info('a new certificate is served', { names: served.names, expires: isoOf(served.expiresAt) })
      }
      problem = undefined
    } catch (error) {
      if (!(error instanceof CertificateProblem)) throw error
      if (problem?.message !== error.message) {
        log.error('the new certificate is not served; the one before it is', { problem: error.message, expires: isoOf(served.expiresAt) })
      }
      problem = error
    }
    warnOfEnd(served)
  }

  /** Once a day. */
  function warnOfEnd(pair: Pair): void {
    const left = pair.expiresAt - nowMs()
    if (left > FEW_DAYS * DAY_MS || nowMs() - warned < DAY_MS) return
    warned = nowMs()
    log.warn(left < 0 ? 'the certificate has expired' : 'the certificate expires soon', { names: pair.names, expires: isoOf(pair.expiresAt) })
  }

  /** What is served; of a node that does not listen, what it would serve. */
  async function known(): Promise<Pair | undefined> {
    if (served !== undefined || files === undefined) return served
    try {
      const pair = pairOf(await readTexts(files), files, nowMs())
      problem = undefined
      return pair
    } catch (error) {
      if (!(error instanceof CertificateProblem)) throw error
      problem = error
      return undefined
    }
  }

  function factsOf(pair: Pair): CertificateFacts {
    const host = new URL(publicBase()).hostname
    const daysUntilExpiry = Math.round((pair.expiresAt - nowMs()) / DAY_MS)
    const hostname = isFor(pair, host) ? host : (pair.names[0] ?? '')
    return { hostname, issuedAt: pair.issuedAt, expiresAt: pair.expiresAt, daysUntilExpiry }
  }

  return {
    isOn: files !== undefined,
    load,
    look,
    follow(give) {
      swap = give
      const timer = setInterval(() => {
        look().catch((error: unknown) => log.error('the certificate could not be looked at', { error: String(error) }))
      }, LOOK_MS)
      timer.unref()
      return () => clearInterval(timer)
    },
    expiresAt: () => served?.expiresAt,
    async list() {
      const pair = await known()
      return pair === undefined ? [] : [factsOf(pair)]
    },
    async state() {
      if (files === undefined) return undefined
      await look()
      const pair = await known()
      const coversAddress = pair !== undefined && isFor(pair, new URL(publicBase()).hostname)
      return {
        certificate: pair === undefined ? null : { ...factsOf(pair), names: pair.names, coversAddress },
        problem: problem === undefined ? null : { fault: problem.fault, setting: problem.setting, file: problem.file, message: problem.message },
        ...files,
        isKeyOpen: await isOpenToOthers(files.keyFile),
      }
    },
  }
}

const isoOf = (ms: number): string => new Date(ms).toISOString()

async function isOpenToOthers(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined)
  return found !== undefined && (found.mode & 0o077) !== 0
}
