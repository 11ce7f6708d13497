import { describe, expect, it } from 'vitest'
import type { DoctorContext } from '../../../../../src/cli/commands/node/doctor/finding.js'
import { versions } from '../../../../../src/cli/commands/node/doctor/versions.js'
import { requiredNode } from '../../../../../src/server/base/version.js'

describe('coffer doctor versions', () => {
  it.each([
    ['v18.20.8', '2024-01-01', 'fault', `Node.js v18.20.8 is too old: coffer needs ${requiredNode()} or newer`],
    ['v20.18.3', '2025-01-01', 'fault', `Node.js v20.18.3 is too old: coffer needs ${requiredNode()} or newer`],
    ['v20.19.0', '2026-04-01', 'fine', 'Node.js v20.19.0 gets security fixes until 2026-04-30'],
    ['v20.19.0', '2026-06-01', 'warning', 'Node.js v20.19.0 has had no security fixes since 2026-04-30'],
    ['v24.1.0', '2026-06-01', 'fine', 'Node.js v24.1.0 gets security fixes until 2028-04-30'],
    ['v23.0.0', '2026-06-01', 'warning', 'Node.js v23.0.0 is not a long-term support version known to this coffer'],
  ])('of Node.js %s in %s: %s', async (nodeVersion, date, state, says) => {
    const doctorContext = { facts: { nodeVersion }, now: Date.parse(date) / 1000 } as unknown as DoctorContext
    const [finding] = await versions.run(doctorContext)
    expect(finding).toMatchObject({ state, says })
    expect(finding?.next).toEqual(state === 'fine' ? undefined : expect.stringContaining('https://nodejs.org'))
  })

  it('checks the Node.js of the terminal without a running node', async () => {
    const [finding] = await versions.run({ facts: undefined, now: 0 } as unknown as DoctorContext)
    expect(finding?.says).toContain(process.version)
  })
})
