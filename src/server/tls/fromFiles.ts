/** Certificate from the operator's files: read at the start, reloaded when they change. */
import { stat } from 'node:fs/promises'
import { NotRenewed, type CertificateParts, type Certificates } from './certificate.js'
import { DAY_MS, EXPIRY_WARNING_DAYS } from './expiry.js'
import { certificateInfo } from './certificateInfo.js'
import { CertificateProblem, isFor, pairOf, readTexts, type Pair } from './pair.js'

const CHECK_MS = 60_000

export function certificatesFromFiles({ config, log, now, publicBase }: CertificateParts): Certificates {
  const files = { certFile: config.get('http.ssl.certFile') ?? '', keyFile: config.get('http.ssl.keyFile') ?? '' }
  const nowMs = (): number => now() * 1000
  let served: Pair | undefined
  let problem: CertificateProblem | undefined
  let swap: ((pair: Pair) => void) | undefined
  let warned = 0

  async function load(): Promise<Pair> {
    served = pairOf(await readTexts(files), files, nowMs())
    problem = undefined
    if (await isOpenToOthers(files.keyFile)) log.warn('the key of the certificate is readable by others than its owner', { file: files.keyFile })
    warnOfEnd(served)
    return served
  }

  async function check(): Promise<void> {
    if (served === undefined) return
    try {
      const texts = await readTexts(files)
      if (texts.cert !== served.cert || texts.key.reveal() !== served.key.reveal()) {
        served = pairOf(texts, files, nowMs())
        swap?.(served)
        log.info('serving a new certificate', { names: served.names, expires: isoOf(served.expiresAt) })
      }
      problem = undefined
    } catch (error) {
      if (!(error instanceof CertificateProblem)) throw error
      if (problem?.message !== error.message) {
        log.error('the new certificate is not usable; still serving the previous one', { problem: error.message, expires: isoOf(served.expiresAt) })
      }
      problem = error
    }
    warnOfEnd(served)
  }

  /** Warns of expiry once a day. */
  function warnOfEnd(pair: Pair): void {
    const left = pair.expiresAt - nowMs()
    if (left > EXPIRY_WARNING_DAYS * DAY_MS || nowMs() - warned < DAY_MS) return
    warned = nowMs()
    log.warn(left < 0 ? 'the certificate has expired' : 'the certificate expires soon', { names: pair.names, expires: isoOf(pair.expiresAt) })
  }

  /** Returns the served pair, or for a node that does not listen, the one it would serve. */
  async function known(): Promise<Pair | undefined> {
    if (served !== undefined) return served
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

  return {
    isOn: true,
    load,
    check,
    follow(give) {
      swap = give
      const timer = setInterval(() => {
        check().catch((error: unknown) => log.error('failed to check the certificate', { error: String(error) }))
      }, CHECK_MS)
      timer.unref()
      return () => clearInterval(timer)
    },
    expiresAt: () => served?.expiresAt,
    async list() {
      const pair = await known()
      return pair === undefined ? [] : [certificateInfo(pair, publicBase(), nowMs())]
    },
    async state() {
      await check()
      const pair = await known()
      const coversAddress = pair !== undefined && isFor(pair, new URL(publicBase()).hostname)
      return {
        certificate: pair === undefined ? null : { ...certificateInfo(pair, publicBase(), nowMs()), names: pair.names, coversAddress },
        problem: problem === undefined ? null : { fault: problem.fault, setting: problem.setting, file: problem.file, message: problem.message },
        files,
        isKeyOpen: await isOpenToOthers(files.keyFile),
      }
    },
    answerTo: () => undefined,
    renew: () => Promise.reject(new NotRenewed('This node reads its certificate from files and does not renew it; new files are loaded within a minute.')),
  }
}

const isoOf = (ms: number): string => new Date(ms).toISOString()

async function isOpenToOthers(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined)
  return found !== undefined && (found.mode & 0o077) !== 0
}
