/** Settings of access requests: where people sign in for an app, and how much a core keeps (accounts supplement 12). */
import * as z from 'zod'
import { isCustomScheme } from '../../../store/model/urlScheme.js'
import { listOf, pageAddress, positive, setting, webAddress, whole } from '../setting.js'

const twoMinutes = 2 * 60 * 1000

export const accessRequestSettings = {
  'access.defaultAuthUrl': setting(pageAddress, {
    default: null,
    summary: "Page on which people sign in for an app; without it, the node's own.",
  }),
  'access.trustedAuthUrls': setting(listOf(webAddress.schema, 'a list of http:// or https:// addresses'), {
    default: [],
    summary: 'Other pages that an app may name for signing in: these, and what lies below them.',
  }),
  'access.returnSchemes': setting(
    listOf(z.string().refine(isCustomScheme, { error: 'Expected the scheme of an app, such as com.example.diary.' }), 'a list of schemes of apps, such as com.example.diary'),
    {
      default: [],
      summary: 'Schemes by which apps may have users sent back to them (returnURL), besides http and https.',
    },
  ),
  'access.terminalRetentionMs': setting(whole(0, undefined, ' of milliseconds'), {
    default: twoMinutes,
    summary: 'An answered request stays for this long after an app first read the answer, and is the first to give way to new ones this long after the answer; 0 keeps it for its hour, counted apart from requests that wait.',
  }),
  'access.handoffTtl': setting(positive(' of seconds'), {
    default: 600,
    summary: 'Seconds in which an app can fetch a token that is handed off; at most as long as the request lives.',
  }),
  'access.maxLiveRequests': setting(whole(0), {
    default: 10_000,
    summary: 'Most access requests that this node keeps at a time; beyond it, the oldest that is answered, or not opened yet, is removed. 0 is any number.',
  }),
  'access.maxLiveRequestsPerIp': setting(whole(0), {
    default: 50,
    summary: 'Most access requests of one client address (IPv6: /56), save of this machine itself; 0 is any number.',
  }),
  'access.maxRequestBytes': setting(whole(0, undefined, ' of bytes'), {
    default: 16_384,
    summary: 'Largest access request that is kept, with its answer; 0 is any size.',
  }),
  'access.unopenedRequestTtl': setting(whole(0, 3600, ' of seconds'), {
    default: 0,
    summary: 'A request that nobody has read ends after this long; 0: it lives one hour like all others.',
  }),
} as const
