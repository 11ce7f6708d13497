/** Every page of the node. */
import { accessPage } from './access/page.js'
import type { Page } from './page.js'
import { openPage } from './open/page.js'
import { secondFactorPage } from './secondFactor/page.js'
import { secondFactorSetUpPage } from './secondFactorSetUp/page.js'
import { signInPage } from './signIn/page.js'

export const pages: readonly Page[] = [accessPage, openPage, secondFactorPage, secondFactorSetUpPage, signInPage]
