/** Asks the npm registry for the newest version of coffer, through the npm client and its configuration. */
import { execFile } from 'node:child_process'
import * as z from 'zod'
import type { Environment } from '../../../framework/paths.js'

/** The newest published version with the Node.js that it needs, or the reason why none is known. */
export type Published = { version: string; node: string | null } | { problem: string }

/** Answer of `npm view <package> version bin engines --json`. */
const Answer = z.object({
  version: z.string(),
  bin: z.record(z.string(), z.string()).optional(),
  engines: z.record(z.string(), z.string()).optional(),
})
const Refusal = z.object({ error: z.object({ code: z.string().optional(), summary: z.string().optional() }) })

/** Runs npm in `folder`, whose .npmrc applies. Reports failures as a problem. */
export async function newestPublished(folder: string, env: Environment, timeoutMs: number): Promise<Published> {
  const words = ['view', 'coffer', 'version', 'bin', 'engines', '--json']
  const { error, stdout } = await new Promise<{ error: Error | null; stdout: string }>((resolve) => {
    const options = { cwd: folder, env: { ...env, npm_config_update_notifier: 'false' }, timeout: timeoutMs }
    execFile('npm', words, options, (failed, output) => resolve({ error: failed, stdout: output }))
  })
  if (error !== null && 'code' in error && error.code === 'ENOENT') return { problem: 'npm is not installed, or not in PATH' }
  if (error !== null && 'killed' in error && error.killed === true) return { problem: `npm did not answer within ${timeoutMs / 1000} s` }
  const document = documentIn(stdout)
  const refusal = Refusal.safeParse(document)
  if (refusal.success) return { problem: refusalText(refusal.data.error) }
  const answer = Answer.safeParse(document)
  if (!answer.success) return { problem: `npm gave no version${error === null ? '' : `: ${error.message.split('\n')[0] ?? ''}`}` }
  const { version, bin, engines } = answer.data
  if (bin?.['coffer'] !== 'bin/coffer.js') return { problem: 'the package coffer of the npm registry is another program' }
  return { version, node: engines?.['node'] ?? null }
}

const refusalText = ({ code, summary }: { code?: string | undefined; summary?: string | undefined }): string =>
  code === 'E404' ? 'the npm registry has no package coffer: it is not published there' : `npm could not ask the registry: ${summary?.split('\n')[0] ?? code ?? 'unknown error'}`

function documentIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
