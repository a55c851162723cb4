"""Maps as files, by programs: exported, deleted, imported, the same again."""

import json

import pytest
from pyzabbix import ZabbixAPI as Pyzabbix
from pyzabbix import ZabbixAPIException
from zabbix_utils import APIRequestError
from zabbix_utils import ZabbixAPI as ZabbixUtils

RULES = {
    "maps": {"createMissing": True, "updateExisting": True},
    "images": {"createMissing": True, "updateExisting": True},
}
# Of one pixel.
DOT = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
WHOLE = {
    "output": "extend", "selectSelements": "extend", "selectLinks": "extend", "selectShapes": "extend",
    "selectLines": "extend", "selectUrls": "extend",
}


@pytest.fixture(scope="module")
def pyzabbix(server):
    client = Pyzabbix(server.url)
    client.login("Admin", server.password)
    yield client
    client.user.logout()


@pytest.fixture(scope="module")
def zabbix_utils(server):
    client = ZabbixUtils(url=server.url)
    client.login(user="Admin", password=server.password)
    yield client
    client.logout()


@pytest.fixture(scope="module")
def drawn(pyzabbix):
    """A map with one of everything, above another one."""
    api = pyzabbix
    group = api.hostgroup.create(name="clients: maps")["groupids"][0]
    host = api.host.create(host="map-files", groups=[{"groupid": group}])["hostids"][0]
    api.item.create(hostid=host, name="Traffic", key_="traffic", type=2, value_type=3)
    trigger = api.trigger.create(
        description="Link is saturated", expression="last(/map-files/traffic)>900", priority=4
    )["triggerids"][0]
    icon = api.image.create(name="map-files icon", imagetype=1, image=DOT)["imageids"][0]
    ground = api.image.create(name="map-files ground", imagetype=2, image=DOT)["imageids"][0]
    icons = api.iconmap.create(
        name="map-files", default_iconid=icon,
        mappings=[{"iconid": icon, "expression": "^Linux", "inventory_link": 5}],
    )["iconmapids"][0]
    below = api.map.create(name="map-files below", width=100, height=100)["sysmapids"][0]

    def element(number, kind, *targets, **fields):
        return {"selementid": number, "elementtype": kind, "elements": list(targets), "iconid_off": icon,
                "x": 50 * number, "y": 40, "label": f"element {number}", **fields}

    whole = api.map.create(
        name="map-files", width=640, height=480, backgroundid=ground, iconmapid=icons, label_type=2,
        severity_min=2, urls=[{"name": "guide", "url": "https://guide.example/", "elementtype": 0}],
        selements=[
            element(1, 0, {"hostid": host}, urls=[{"name": "own", "url": "https://own.example/"}],
                    tags=[{"tag": "scope", "value": "net", "operator": 1}], evaltype=2),
            element(2, 1, {"sysmapid": below}),
            element(3, 2, {"triggerid": trigger}),
            element(4, 3, {"groupid": group}, elementsubtype=1, areatype=1, width=300, height=150),
            element(5, 4),
        ],
        links=[
            {"selementid1": 1, "selementid2": 5, "label": "1 Gbit/s", "color": "00AA00", "drawtype": 2,
             "linktriggers": [{"triggerid": trigger, "color": "DD0000", "drawtype": 4}]},
            {"selementid1": 3, "selementid2": 4},
        ],
        shapes=[{"type": 1, "text": "Room", "background_color": "EEEEEE"}],
        lines=[{"x1": 5, "y1": 6, "x2": 70, "y2": 80, "line_type": 3}],
    )["sysmapids"][0]
    return {"whole": whole, "below": below, "icon": icon}


def by_name(api, name):
    return api.map.get(filter={"name": name}, **WHOLE)[0]


def comparable(row):
    """A map without ids of its own and of its parts; links name elements by their places."""
    row = json.loads(json.dumps(row))
    row.pop("sysmapid")
    places = {it.pop("selementid"): at for at, it in enumerate(row["selements"])}
    for link in row["links"]:
        link.pop("linkid")
        for end in ("selementid1", "selementid2"):
            link[end] = places[link[end]]
        for trigger in link["linktriggers"]:
            trigger.pop("linktriggerid")
    for shape in row["shapes"] + row["lines"]:
        shape.pop("sysmap_shapeid")
    for url in row["urls"] + [url for it in row["selements"] for url in it["urls"]]:
        url.pop("sysmapurlid", None)
        url.pop("sysmapelementurlid", None)
    return row


@pytest.mark.parametrize("client", ["pyzabbix", "zabbix_utils"])
@pytest.mark.parametrize("form", ["yaml", "json", "xml"])
def test_a_map_is_exported_deleted_and_imported(request, drawn, client, form):
    api = request.getfixturevalue(client)
    before = by_name(api, "map-files")

    def exported():
        ids = [it["sysmapid"] for it in api.map.get(search={"name": "map-files"})]
        return api.configuration.export(format=form, options={"maps": ids})

    text = exported()
    # With the images that it shows; the objects of its elements are only named.
    assert "encodedImage" in text and "map-files ground" in text and "last(/map-files/traffic)" in text
    assert "hosts" not in text.split("maps")[0]
    assert api.configuration.importcompare(format=form, source=text, rules=RULES) == []
    api.map.delete(before["sysmapid"])
    below = api.map.get(filter={"name": "map-files below"})[0]["sysmapid"]
    api.map.delete(below)

    changes = api.configuration.importcompare(format=form, source=text, rules=RULES)
    assert list(changes) == ["maps"]
    assert [it["after"]["name"] for it in changes["maps"]["added"]] == ["map-files", "map-files below"]
    assert getattr(api.configuration, "import")(format=form, source=text, rules=RULES) is True
    after = by_name(api, "map-files")
    # The other map is a new one.
    expected, found = comparable(before), comparable(after)
    for row in (expected, found):
        row["selements"][1].pop("elements")
    assert found == expected
    new_below = api.map.get(filter={"name": "map-files below"})[0]["sysmapid"]
    assert after["selements"][1]["elements"] == [{"sysmapid": new_below}]
    assert exported() == text
    # Once more: nothing is changed, and parts keep their ids.
    getattr(api.configuration, "import")(format=form, source=text, rules=RULES)
    assert by_name(api, "map-files") == after


def test_missing_objects_are_reported_as_by_zabbix(pyzabbix, zabbix_utils, drawn):
    ids = [it["sysmapid"] for it in pyzabbix.map.get(search={"name": "map-files"})]
    text = pyzabbix.configuration.export(format="json", options={"maps": ids})
    text = text.replace('"host": "map-files"', '"host": "gone"').replace(
        '"host":"map-files"', '"host":"gone"')
    expected = 'Cannot find host "gone" used in map "map-files".'
    with pytest.raises(ZabbixAPIException, match=expected):
        getattr(pyzabbix.configuration, "import")(format="json", source=text, rules=RULES)
    with pytest.raises(APIRequestError, match=expected):
        getattr(zabbix_utils.configuration, "import")(format="json", source=text, rules=RULES)


def test_images_are_exported_by_option(pyzabbix, drawn):
    raw = pyzabbix.configuration.export(format="raw", options={"images": [drawn["icon"]]})
    assert raw["zabbix_export"] == {
        "version": "7.0",
        "images": [{"name": "map-files icon", "imagetype": "1", "encodedImage": DOT}],
    }


def test_raw_has_the_fields_of_zabbix(pyzabbix, drawn):
    """Zabbix 7.0 wants each of them, defaults too, and knows no others: the background has its own size."""
    row = by_name(pyzabbix, "map-files")
    raw = pyzabbix.configuration.export(format="raw", options={"maps": [row["sysmapid"]]})
    (found,) = raw["zabbix_export"]["maps"]
    assert set(found) == {
        "name", "width", "height", "label_type", "label_location", "highlight", "expandproblem",
        "markelements", "show_unack", "severity_min", "show_suppressed", "grid_size", "grid_show",
        "grid_align", "label_format", "label_type_host", "label_type_hostgroup", "label_type_trigger",
        "label_type_map", "label_type_image", "label_string_host", "label_string_hostgroup",
        "label_string_trigger", "label_string_map", "label_string_image", "expand_macros", "background",
        "iconmap", "urls", "selements", "shapes", "lines", "links",
    }
    assert found["iconmap"] == {"name": "map-files"}
    assert found["selements"][0]["icon_on"] == {}
    assert [it["elements"] for it in found["selements"]] == [
        [{"host": "map-files"}],
        [{"name": "map-files below"}],
        [{"description": "Link is saturated", "expression": "last(/map-files/traffic)>900",
          "recovery_expression": ""}],
        [{"name": "clients: maps"}],
        [],
    ]
    assert set(found["selements"][0]) == {
        "elementtype", "elements", "label", "label_location", "x", "y", "elementsubtype", "areatype",
        "width", "height", "viewtype", "use_iconmap", "selementid", "icon_off", "icon_on",
        "icon_disabled", "icon_maintenance", "urls", "evaltype", "tags",
    }
    link = found["links"][0]
    assert set(link) == {
        "drawtype", "color", "label", "selementid1", "selementid2", "linktriggers",
    }
    assert (link["selementid1"], link["selementid2"]) == ("1", "5")
