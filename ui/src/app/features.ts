// All features, in the order of the navigation. A new one is a folder with a manifest, and a line here. A page that is
// put together from several features has its parts from here: features do not import each other.

import { about } from "@/features/about/feature";
import { actions } from "@/features/actions/feature";
import { alerts } from "@/features/alerts/feature";
import { audit } from "@/features/audit/feature";
import { connectors } from "@/features/connectors/feature";
import { correlation } from "@/features/correlation/feature";
import { dashboards } from "@/features/dashboards/feature";
import { discovery } from "@/features/discovery/feature";
import { guide, reference } from "@/features/docs/feature";
import { events } from "@/features/events/feature";
import { graphs } from "@/features/graphs/feature";
import { hostGroups, templateGroups } from "@/features/groups/feature";
import { health } from "@/features/health/feature";
import { hosts } from "@/features/hosts/feature";
import { items } from "@/features/items/feature";
import { latest } from "@/features/latest/feature";
import { macros } from "@/features/macros/feature";
import { maintenance } from "@/features/maintenance/feature";
import { iconMaps, images, maps } from "@/features/maps/feature";
import { media } from "@/features/media/feature";
import { mediaTypes } from "@/features/mediatypes/feature";
import { discovered, networkDiscovery } from "@/features/networkdiscovery/feature";
import { oncall } from "@/features/oncall/feature";
import { overview } from "@/features/overview/feature";
import { problems } from "@/features/problems/feature";
import { profile } from "@/features/profile/feature";
import { queue } from "@/features/queue/feature";
import { regexps } from "@/features/regexps/feature";
import { roles } from "@/features/roles/feature";
import { scripts } from "@/features/scripts/feature";
import { services } from "@/features/services/feature";
import { housekeeping, settings } from "@/features/settings/feature";
import { sla } from "@/features/sla/feature";
import { storage } from "@/features/storage/feature";
import { templates } from "@/features/templates/feature";
import { tokens } from "@/features/tokens/feature";
import { triggers } from "@/features/triggers/feature";
import { userGroups } from "@/features/usergroups/feature";
import { users } from "@/features/users/feature";
import { valueMaps } from "@/features/valuemaps/feature";
import { web } from "@/features/web/feature";

export const FEATURES = [
  overview,
  dashboards(() => import("./dashboard-pages")),
  problems,
  latest,
  graphs,
  web,
  maps,
  services,
  sla,
  oncall,

  hosts,
  templates,
  hostGroups,
  templateGroups,
  maintenance,
  discovered,
  networkDiscovery,

  actions,
  correlation,
  mediaTypes,
  scripts,
  alerts,

  users,
  userGroups,
  roles,
  tokens,
  audit,

  health,
  settings,
  macros,
  images,
  iconMaps,
  regexps,
  connectors,
  queue,
  storage,
  housekeeping,
  about,

  // without a place in the navigation
  events(() => import("./event-page")),
  items,
  triggers,
  discovery,
  valueMaps,
  profile,
  media,
  guide,
  reference,
];
