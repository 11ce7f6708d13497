import { errorMessage } from '../../../store/model/errorMessage.js'
import { command, type Context } from '../../command.js'
import { CommandError } from '../../framework/exit.js'
import { exitOf, type Finding, type DoctorContext } from './doctor/finding.js'
import { checkNames } from './doctor/names.js'
import { runningNode } from '../../client/runningNode.js'
import { choice, flag, text } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'

type NamedFinding = Finding & { check: string; fixed?: true }

/** `coffer doctor`. */
export const doctor = command({
  path: ['doctor'],
  summary: 'Find problems and suggest a fix for each',
  description:
    'Checks the store (a sample of 200 records; everything with --deep), disk, settings, key, permissions, clock, public URL, proxies, certificate, mail, versions, limits, peers, webhooks and pending approvals. If the node is not running, runs only the checks that are possible.\n\n' +
    'Each line shows one finding; problems are followed by a command that fixes them. --fix repairs what can be repaired without data loss: permissions of files and folders. --report writes a report to share, without secrets, names, addresses or settings.\n\n' +
    'Exits with 0 if everything is fine or there are only warnings, 1 for a fault, 13 for damage.',
  arguments: { check: choice(checkNames, 'Run only this check') },
  options: {
    deep: flag('Read the whole store, as coffer store check does'),
    fix: flag('Fix what can be fixed without data loss'),
    report: text('Write a report without names or secrets to this file', { placeholder: 'file', completes: 'file' }),
  },
  examples: [
    { type: 'coffer doctor', description: 'run all checks' },
    { type: 'coffer doctor address', description: 'run one check' },
    { type: 'coffer doctor store --deep', description: 'read the whole store' },
    { type: 'coffer doctor --report report.json', description: 'write a report to share' },
  ],
  json: '{"ok","findings":[{"check","state":"fine"|"off"|"warning"|"fault"|"damage","says","next","fixed"}]}',
  reach: 'machine',
  offline: true,
  async run(context, options) {
    const { checks } = await import('./doctor/checks.js')
    const doctorContext = await openDoctorContext(context, options.deep)
    const findings: NamedFinding[] = []
    try {
      for (const { name, run } of checks) {
        if (options.check !== undefined && name !== options.check) continue
        const found = await run(doctorContext).catch((error: unknown): Finding[] => [failedCheck(error)])
        for (const finding of found) findings.push(await withFix({ ...finding, check: name }, options.fix))
      }
      if (options.report !== undefined) {
        const { writeReport } = await import('./doctor/report.js')
        await writeReport(options.report, doctorContext, findings)
      }
    } finally {
      await doctorContext.client?.close()
    }
    const exit = exitOf(findings)
    const reported = findings.map(({ fix: _, ...finding }) => finding)
    await context.out.result({ ok: exit === 0, findings: reported }, { print: () => print(context, findings) })
    if (options.report !== undefined) context.out.done(`Report written to ${options.report}`)
    return exit
  },
})

/** Reports a check that throws as a fault, so that it does not hide the other findings. */
const failedCheck = (error: unknown): Finding => ({
  state: 'fault',
  says: `check failed: ${errorMessage(error)}`,
  next: 'coffer doctor --verbose',
})

async function withFix(finding: NamedFinding, mayFix: boolean): Promise<NamedFinding> {
  if (!mayFix || finding.fix === undefined) return finding
  await finding.fix()
  return { check: finding.check, state: 'fine', says: `${finding.says}: fixed`, fixed: true }
}

/** Time limit in milliseconds for the answer of the node. */
const TIMEOUT_MS = 10_000

async function openDoctorContext(context: Context, deep: boolean): Promise<DoctorContext> {
  const { paths, env, flags, now } = context
  const { loadConfig } = await import('../../../server/config/config.js')
  const config = await Promise.resolve()
    .then(() => loadConfig({ file: paths.config, env }))
    .catch(() => undefined)
  const client = await runningNode(paths, flags.timeoutMs ?? TIMEOUT_MS).catch((error: unknown) => {
    if (error instanceof CommandError && error.exit === 4) throw error
    return undefined
  })
  const facts = await client?.call('doctor.facts', {}, {})
  return { context, paths, config, client, facts, now: now(), deep }
}

const marks = { fine: '✔', off: '–', warning: '!', fault: '✖', damage: '✖' } as const
const WIDTH = 13

async function print({ out, terminal }: Context, findings: readonly NamedFinding[]): Promise<void> {
  const { green, red, yellow, dim } = terminal.paintOut
  const paint = { fine: green, off: dim, warning: yellow, fault: red, damage: red } as const
  let last = ''
  for (const { check, state, says: message, next } of findings) {
    await terminal.write(` ${(check === last ? '' : check).padEnd(WIDTH)}${paint[state](marks[state])} `)
    await out.line(message)
    if (next !== undefined) await out.line(`${' '.repeat(WIDTH + 3)}→ ${next}`)
    last = check
  }
  const count = (...states: Finding['state'][]): number => findings.filter(({ state }) => states.includes(state)).length
  const words = [counted(count('fault', 'damage'), 'fault'), counted(count('warning'), 'warning'), `${count('fine')} fine`]
  await out.line(` ${words.join(', ')}`)
}
