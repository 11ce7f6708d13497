/** Methods behind the routes between the two sides of delegations. */
import { acceptComplete } from './acceptComplete.js'
import { acceptResponse } from './acceptResponse.js'
import type { Routes, DelegationDeps } from './delivery.js'
import { issueToken } from './issueToken.js'
import { notifyDetach } from './notifyDetach.js'
import { receiveAccount } from './receiveAccount.js'
import { receiveInvite } from './receiveInvite.js'
import { refuseResponse } from './refuseResponse.js'
import { release } from './release.js'
import type { ConsentDeps } from '../consents/service.js'
import type { CoresDeps } from '../../platform/cores/cores.js'

export const delegationRoutes = {
  account: {
    'accept-response': acceptResponse,
    'refuse-response': refuseResponse,
    'accept-complete': acceptComplete,
    token: issueToken,
    'detach-notify': notifyDetach,
    release,
  },
  core: { invite: receiveInvite, 'create-account': receiveAccount },
} satisfies Routes<ConsentDeps & CoresDeps & DelegationDeps>
