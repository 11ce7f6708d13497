/** All pages of the node. */
import { accessPage } from './access/page.js'
import { createManagedPage } from './actFor/create.js'
import { actForPage } from './actFor/page.js'
import { apiPage } from './api/page.js'
import { donePage } from './authorize/done.js'
import { authorizePage } from './authorize/page.js'
import { accountsPage } from './console/accountsPage.js'
import { conflictsPage } from './console/devices/conflictsPage.js'
import { devicePage } from './console/devices/devicePage.js'
import { devicesPage } from './console/devices/listPage.js'
import { pairPage } from './console/devices/pairPage.js'
import { pairingPage } from './console/devices/pairingPage.js'
import { removeDevicePage } from './console/devices/removePage.js'
import { editEventPage } from './console/event/editPage.js'
import { eventPage } from './console/event/eventPage.js'
import { newEventPage } from './console/event/newPage.js'
import { filePage } from './console/files/filePage.js'
import { filesPage } from './console/files/filesPage.js'
import { uploadPage } from './console/files/uploadPage.js'
import { livePage } from './console/livePage.js'
import { growthImage } from './console/overview/growthImage.js'
import { overviewPage } from './console/overview/page.js'
import { signOutPage } from './console/signOutPage.js'
import { oauthConsentPage } from './oauthConsent/page.js'
import { openPage } from './open/page.js'
import type { Page } from './page.js'
import { registerPage } from './register/page.js'
import { askResetPage } from './resetPassword/ask.js'
import { chooseResetPage } from './resetPassword/choose.js'
import { secondFactorPage } from './secondFactor/page.js'
import { secondFactorSetUpPage } from './secondFactorSetUp/page.js'
import { signInPage } from './signIn/page.js'
import { sharedLinkPage } from './sharedLink/page.js'
import { thirdPartyPage } from './thirdParty/page.js'
import { verifyEmailPage } from './verifyEmail/page.js'
import { welcomePage } from './welcome/page.js'

export const pages: readonly Page[] = [
  accessPage,
  accountsPage,
  actForPage,
  apiPage,
  askResetPage,
  authorizePage,
  chooseResetPage,
  conflictsPage,
  createManagedPage,
  devicePage,
  devicesPage,
  donePage,
  editEventPage,
  eventPage,
  filePage,
  filesPage,
  growthImage,
  livePage,
  newEventPage,
  oauthConsentPage,
  openPage,
  overviewPage,
  pairPage,
  pairingPage,
  registerPage,
  removeDevicePage,
  secondFactorPage,
  secondFactorSetUpPage,
  sharedLinkPage,
  signInPage,
  signOutPage,
  thirdPartyPage,
  uploadPage,
  verifyEmailPage,
  welcomePage,
]
