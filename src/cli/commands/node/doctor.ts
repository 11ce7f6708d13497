import { command, type Context } from '../../command.js'
import { CommandError } from '../../framework/exit.js'
import { exitOf, type Finding, type DoctorContext } from '../../doctor/finding.js'
import { checkNames } from '../../doctor/names.js'
import { runningNode } from '../../client/connect.js'
import { choice, flag, text } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'

type Named = Finding & { check: string; fixed?: true }

/** `coffer doctor`. */
export const doctor = command({
  path: ['doctor'],
  summary: 'Find what is wrong, and say how to mend it',
  description:
    'Looks at the store (a sample of 200 records; all of it with --deep), the disk, settings, key, permissions, clock, public address, proxies, certificate, mail, versions, limits, peers, webhooks and what waits for somebody. With a node that does not run it looks at what it can.\n\n' +
    'Each line says what was found; what is not well has the command that mends it below. --fix mends what can be mended without a loss: permissions of files and folders. --report writes a file to show to others, without secrets, names, addresses or settings.\n\n' +
    'Exits 0 when all is well or there are warnings only, 1 with a fault, 13 with damage.',
  arguments: { check: choice(checkNames, 'This check only') },
  options: {
    deep: flag('Read the whole store, as coffer store check does'),
    fix: flag('Mend what can be mended without a loss'),
    report: text('Write a report without names or secrets to this file', { placeholder: 'file', completes: 'file' }),
  },
  examples: [
    { type: 'coffer doctor', says: 'look at everything' },
    { type: 'coffer doctor address', says: 'one check' },
    { type: 'coffer doctor store --deep', says: 'all that is in the store' },
    { type: 'coffer doctor --report report.json', says: 'to show to somebody' },
  ],
  json: '{"ok","findings":[{"check","state":"fine"|"off"|"warning"|"fault"|"damage","says","next","fixed"}]}',
  reach: 'machine',
  offline: true,
  async run(context, options) {
    const { checks } = await import('../../doctor/checks.js')
    const patient = await patientOf(context, options.deep)
    const findings: Named[] = []
    try {
      for (const { name, run } of checks) {
        if (options.check !== undefined && name !== options.check) continue
        const found = await run(patient).catch((error: unknown): Finding[] => [unable(error)])
        for (const finding of found) findings.push(await repaired({ ...finding, check: name }, options.fix))
      }
      if (options.report !== undefined) {
        const { writeReport } = await import('../../doctor/report.js')
        await writeReport(options.report, patient, findings)
      }
    } finally {
      await patient.client?.close()
    }
    const exit = exitOf(findings)
    const described = findings.map(({ fix: _, ...finding }) => finding)
    await context.out.result({ ok: exit === 0, findings: described }, { print: () => print(context, findings) })
    if (options.report !== undefined) context.out.done(`Report written to ${options.report}`)
    return exit
  },
})

/** A check that cannot look is a fault too: it must not hide the others. */
const unable = (error: unknown): Finding => ({
  state: 'fault',
  says: `cannot be looked at: ${error instanceof Error ? error.message : String(error)}`,
  next: 'coffer doctor --verbose',
})

async function repaired(finding: Named, wanted: boolean): Promise<Named> {
  if (!wanted || finding.fix === undefined) return finding
  await finding.fix()
  return { check: finding.check, state: 'fine', says: `${finding.says}: mended`, fixed: true }
}

/** A node that does not answer in this time is not asked any more. */
const PATIENCE_MS = 10_000

async function patientOf(context: Context, deep: boolean): Promise<DoctorContext> {
  const { paths, env, flags, now } = context
  const { loadConfig } = await import('../../../server/config/config.js')
  const config = await Promise.resolve()
    .then(() => loadConfig({ file: paths.config, env }))
    .catch(() => undefined)
  const client = await runningNode(paths, flags.timeoutMs ?? PATIENCE_MS).catch((error: unknown) => {
    if (error instanceof CommandError && error.exit === 4) throw error
    return undefined
  })
  const facts = await client?.call('doctor.facts', {}, {})
  return { context, paths, config, client, facts, now: now(), deep }
}

const marks = { fine: '✔', off: '–', warning: '!', fault: '✖', damage: '✖' } as const
const WIDTH = 13

async function print({ out, terminal }: Context, findings: readonly Named[]): Promise<void> {
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
