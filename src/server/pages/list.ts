/** Every page of the node. */
import { accessPage } from './access/page.js'
import { donePage } from './authorize/done.js'
import { authorizePage } from './authorize/page.js'
import { openPage } from './open/page.js'
import type { Page } from './page.js'
import { secondFactorPage } from './secondFactor/page.js'
import { secondFactorSetUpPage } from './secondFactorSetUp/page.js'
import { signInPage } from './signIn/page.js'

export const pages: readonly Page[] = [
  accessPage,
  authorizePage,
  donePage,
  openPage,
  secondFactorPage,
  secondFactorSetUpPage,
  signInPage,
]
