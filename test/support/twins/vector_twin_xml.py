"""Reads KML and GML by their standards, and packs geometries; a part of vector-twin.py."""
import struct
import xml.etree.ElementTree as ET


def pack(kind, content, z):
    head = struct.pack('<BI', 1, kind + (1000 if z else 0))
    positions = lambda list: b''.join(struct.pack('<%dd' % (3 if z else 2), *p[: 3 if z else 2]) for p in list)
    if kind == 1:
        return head + positions([content or [float('nan')] * 3])
    head += struct.pack('<I', len(content))
    if kind == 2:
        return head + positions(content)
    if kind == 3:
        return head + b''.join(struct.pack('<I', len(ring)) + positions(ring) for ring in content)
    if kind == 7:
        return head + b''.join(pack(k, c, z) for k, c in content)
    return head + b''.join(pack(kind - 3, c, z) for c in content)


def hexed(shape, z=None):
    if shape is None:
        return None
    return pack(*shape, has_z(shape) if z is None else z).hex()


def flat(shape):
    kind, content = shape
    if kind == 7:
        return [p for one in content for p in flat(one)]
    if kind == 1:
        return [content] if content else []
    for _ in range({2: 0, 3: 1, 4: 0, 5: 1, 6: 2}[kind]):
        content = [x for part in content for x in part]
    return [p for p in content if p]


has_z = lambda shape: any(len(p) > 2 for p in flat(shape))


local = lambda element: element.tag.split('}')[-1]


def kml_positions(element):
    text = ''.join(element.itertext()).split()
    return [[float(n) for n in position.split(',')] for position in text]


def kml_shape(element):
    kind = local(element)
    if kind == 'MultiGeometry':
        parts = [shape for shape in map(kml_shape, element) if shape]
        kinds = {kind for kind, _ in parts}
        only = kinds.pop() if len(kinds) == 1 else 7
        if only > 3:
            return (7, parts)
        return (only + 3, [content for _, content in parts if only > 1 or content])
    of = lambda parent: kml_positions(parent.find('.//{*}coordinates'))
    if kind == 'Point':
        return (1, next(iter(of(element)), None))
    if kind in ('LineString', 'LinearRing'):
        return (2, of(element))
    if kind == 'Polygon':
        outer = [child for child in element if local(child) == 'outerBoundaryIs']
        inner = [child for child in element if local(child) == 'innerBoundaryIs']
        return (3, [of(child) for child in outer + inner])
    return None


def read_kml(data):
    """OGC 12-007r2"""
    root = ET.fromstring(data)
    types = {f.get('name'): f.get('type') for f in root.iter() if local(f) == 'SimpleField'}
    rows, ids = [], []
    for placemark in root.iter():
        if local(placemark) != 'Placemark':
            continue
        row, shapes = {}, []
        for child in placemark:
            if local(child) in ('name', 'description', 'address', 'phoneNumber'):
                row[local(child)] = ''.join(child.itertext())
            if local(child) == 'ExtendedData':
                for data in child.iter():
                    if local(data) == 'SimpleData':
                        row[data.get('name')] = typed(''.join(data.itertext()), types.get(data.get('name')))
                    if local(data) == 'Data':
                        row[data.get('name')] = ''.join(data.find('{*}value').itertext())
            shape = kml_shape(child)
            if shape:
                shapes.append(shape)
        shape = shapes[0] if shapes else None
        # heights of 0 stand for none
        z = shape is not None and any(len(p) > 2 and p[2] != 0 for p in flat(shape))
        if z:
            for p in flat(shape):
                p.extend([0.0] * (3 - len(p)))
        rows.append((row, hexed(shape, z)))
        ids.append(placemark.get('id'))
    return rows, ids


def typed(text, kind):
    if kind in ('int', 'short', 'ushort', 'uint', 'xsd:long'):
        return int(text)
    if kind in ('float', 'double'):
        return float(text)
    return text in ('1', 'true') if kind == 'bool' else text


def gml_positions(element, axes, swapped):
    numbers = []
    for child in element.iter():
        if local(child) in ('pos', 'posList'):
            axes = int(child.get('srsDimension', axes))
            numbers += [float(n) for n in child.text.split()]
        elif local(child) == 'coordinates':
            tuples = [[float(n) for n in t.split(',')] for t in child.text.split()]
            return [[t[1], t[0], *t[2:]] if swapped else t for t in tuples]
    found = [numbers[i : i + axes] for i in range(0, len(numbers), axes)]
    return [[p[1], p[0], *p[2:]] if swapped else p for p in found]


MULTIS = {'MultiPoint': 4, 'MultiCurve': 5, 'MultiLineString': 5, 'MultiSurface': 6, 'MultiPolygon': 6, 'MultiGeometry': 7}


def gml_shape(element, axes=2, swapped=False):
    kind, name = local(element), element.get('srsName') or ''
    swapped = swapped or (name.startswith('urn:') and name.endswith(':4326')) or name.endswith('/4326')
    axes = int(element.get('srsDimension', axes))
    if kind in MULTIS:
        parts = [gml_shape(g, axes, swapped) for member in element if local(member).lower().endswith(('member', 'members')) for g in member]
        return (MULTIS[kind], parts if kind == 'MultiGeometry' else [content for _, content in parts])
    if kind == 'Point':
        positions = element.find('.//{*}pos')
        if positions is not None and 'srsDimension' not in positions.attrib:
            axes = len(positions.text.split())
        return (1, gml_positions(element, axes, swapped)[0])
    if kind in ('LineString', 'Curve'):
        return (2, gml_positions(element, axes, swapped))
    if kind in ('Polygon', 'Surface', 'PolygonPatch'):
        return (3, [gml_positions(ring, axes, swapped) for ring in element.iter() if local(ring) == 'LinearRing'])
    return None


def read_gml(data):
    rows = []
    for member in ET.fromstring(data).iter():
        if not local(member).lower() in ('featuremember', 'featuremembers', 'member'):
            continue
        for feature in member:
            row, geometry = {}, None
            for child in feature:
                if local(child) == 'boundedBy':
                    continue
                shape = gml_shape(child[0]) if len(child) else None
                if shape:
                    geometry = hexed(shape)
                elif len(child) == 0 and '{http://www.w3.org/2001/XMLSchema-instance}nil' not in child.attrib:
                    row[local(child)] = child.text or ''
            rows.append((row, geometry))
    return rows, None
