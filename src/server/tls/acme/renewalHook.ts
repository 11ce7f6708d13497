/** Runs the operator's hook program after a certificate renewal. */
import { spawn } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorMessage } from '../../../store/model/errorMessage.js'
import type { Log } from '../../base/log.js'
import type { Pair } from '../pair.js'

/** Timeout in milliseconds. */
const LIMIT_MS = 60_000
/** Maximum length of captured output. */
const MAX_OUTPUT = 2000
/** Prefix of folders that hold a key while the program runs. */
const FOLDER = 'rotated-'

/**
 * Runs the hook with the certificate and its key as temporary files. Failures are only logged.
 * @param home the folder of the node
 */
export async function runRenewalHook(script: string, hostname: string, pair: Pair, { home, log, limitMs = LIMIT_MS }: { home: string; log: Log; limitMs?: number }): Promise<void> {
  const problem = await described(script, hostname, pair, home, limitMs).then(
    () => undefined,
    errorMessage,
  )
  if (problem === undefined) log.info('the program for new certificates completed', { script })
  else log.error('the program for new certificates failed', { script, error: problem })
}

async function described(script: string, hostname: string, pair: Pair, home: string, limitMs: number): Promise<void> {
  const folder = await mkdtemp(join(home, FOLDER))
  try {
    const [cert, key] = [join(folder, 'fullchain.pem'), join(folder, 'privkey.pem')]
    await writeFile(cert, pair.cert, { mode: 0o600 })
    await writeFile(key, pair.key.reveal(), { mode: 0o600 })
    await run(script, { COFFER_CERT_HOSTNAME: hostname, COFFER_CERT_PATH: cert, COFFER_CERT_KEYPATH: key }, limitMs)
  } finally {
    await rm(folder, { recursive: true, force: true }).catch(() => {})
  }
}

/** Removes files left by a node that was killed. */
export async function removeRenewalFiles(home: string): Promise<void> {
  const left = (await readdir(home).catch(() => [])).filter((name) => name.startsWith(FOLDER))
  for (const name of left) await rm(join(home, name), { recursive: true, force: true }).catch(() => {})
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // The process has already exited.
  }
}

function run(script: string, variables: Record<string, string>, limitMs: number): Promise<void> {
  // Excludes settings in environment variables, which may be secret.
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('COFFER_')))
  return new Promise((resolve, reject) => {
    // Runs in a process group of its own, so that its children end with it.
    const child = spawn(script, { env: { ...own, ...variables }, detached: true, stdio: ['ignore', 'ignore', 'pipe'] })
    let stated = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => void (stated = (stated + text).slice(-MAX_OUTPUT)))
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      endGroup(child.pid)
    }, limitMs)
    child.once('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
    child.once('exit', (code, signal) => {
      clearTimeout(timer)
      // Background children could hold the pipe open.
      child.stderr.destroy()
      if (code === 0) return resolve()
      const how = isLate ? `it did not exit within ${limitMs / 1000} s` : `it exited with ${code ?? signal}`
      const last = stated.trim().split('\n').at(-1) ?? ''
      reject(new Error(last === '' ? how : `${how}: ${last}`))
    })
  })
}
