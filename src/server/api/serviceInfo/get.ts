import * as z from 'zod'
import { anybody } from '../../call/callers.js'
import { openMethod, platformMethod, type Result, type PlatformCall, type OpenCall } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import { recordNonce } from '../../httpClient/reachabilityProbe.js'
import { describeService, ServiceInfo } from './describe.js'
import type { MetaDeps } from '../../call/meta.js'
import type { MailDeps } from '../../mail/mailer.js'

const shape = {
  summary: 'Describes the service: addresses, names, features.',
  input: z.unknown(),
  output: () => ServiceInfo,
  fails: [],
}

/** Returns the service information (docs/interface/service-info.md). */
export const serviceInfo = (node: Context & MetaDeps & MailDeps): Result => ({ serial: JSON.parse(node.serial()) as string, ...describeService(node) })

export const ofNode = platformMethod({
  ...shape,
  id: 'service.info',
  http: { verb: 'GET', path: '/service/info', aliases: ['/service/infos', '/reg/service/info', '/reg/service/infos'] },
  caller: anybody,
  run({ node, origin }: PlatformCall<MetaDeps & MailDeps>) {
    recordNonce(node, origin)
    return serviceInfo(node)
  },
})

export const ofAccount = openMethod({
  ...shape,
  id: 'service.info',
  http: { verb: 'GET', path: '/service/info', aliases: ['/service/infos'], isSameForAll: true },
  caller: anybody,
  run: ({ node }: OpenCall<MetaDeps & MailDeps>) => serviceInfo(node),
})
