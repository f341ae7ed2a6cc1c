/**
 * A GML with everything that is read without GDAL. Newer versions than 3.6 know dates, and read the bounds of features;
 * and where the processor rounds products and sums together, numbers of many digits differ.
 */
const MEMBERS = [
  '<a:g><gml:Point srsName="urn:ogc:def:crs:EPSG::25833"><gml:pos>13.123456789012345 -52.98765432109876</gml:pos></gml:Point></a:g><a:i>1</a:i><a:r>1.5</a:r><a:b>true</a:b><a:s>x &amp; y</a:s><a:d>2024-02-29</a:d><a:t>10:20:30</a:t><a:dt>2024-02-29T10:20:30Z</a:dt><a:u uom="m">7</a:u><a:w value="8"/><a:l>1</a:l><a:l>2</a:l><a:o><a:i>3</a:i></a:o>',
  '<gml:boundedBy><gml:Envelope srsName="urn:ogc:def:crs:EPSG::25833"><gml:lowerCorner>1 2</gml:lowerCorner><gml:upperCorner>3 4</gml:upperCorner></gml:Envelope></gml:boundedBy><a:g><gml:Point srsName="urn:ogc:def:crs:EPSG::25833"><gml:coordinates>391035.123456789012,5820123.98765432101</gml:coordinates></gml:Point></a:g><a:i xsi:nil="true"/><a:r>-2e3</a:r><a:s> 5</a:s>',
  '<a:g><gml:LineString srsName="urn:ogc:def:crs:EPSG::25833"><gml:posList>0.1234567890123456 1e-7 1.5e3 123456789012345678 5. -0</gml:posList></gml:LineString></a:g><a:i>2147483648</a:i><a:b>false</a:b>',
  '<a:g><gml:LineString srsName="urn:ogc:def:crs:EPSG::25833"><gml:coordinates>0.3,0.6 1234.56789012345678,2</gml:coordinates></gml:LineString></a:g>',
  '<a:g><gml:LineString srsName="urn:ogc:def:crs:EPSG::25833"><gml:pos>1 2</gml:pos><gml:pos>3 4</gml:pos></gml:LineString></a:g>',
  '<a:g><gml:Polygon srsName="urn:ogc:def:crs:EPSG::25833" srsDimension="3"><gml:exterior><gml:LinearRing><gml:posList>0 0 1 9 0 2 9 9 3 0 0 1</gml:posList></gml:LinearRing></gml:exterior><gml:interior><gml:LinearRing><gml:posList srsDimension="3">2 1 1 5 1 2 5 4 3 2 1 1</gml:posList></gml:LinearRing></gml:interior></gml:Polygon></a:g>',
  '<a:g><gml:MultiPoint srsName="urn:ogc:def:crs:EPSG::25833"><gml:pointMember><gml:Point><gml:pos>1 2</gml:pos></gml:Point></gml:pointMember><gml:pointMembers><gml:Point><gml:pos>3 4</gml:pos></gml:Point><gml:Point><gml:pos>5 6</gml:pos></gml:Point></gml:pointMembers></gml:MultiPoint></a:g>',
  '<a:g><gml:MultiLineString srsName="urn:ogc:def:crs:EPSG::25833"><gml:lineStringMember><gml:LineString><gml:coordinates>1,2 3,4</gml:coordinates></gml:LineString></gml:lineStringMember></gml:MultiLineString></a:g>',
  '<a:g><gml:MultiCurve srsName="urn:ogc:def:crs:EPSG::25833"><gml:curveMember><gml:LineString><gml:posList>1 2 3 4</gml:posList></gml:LineString></gml:curveMember><gml:curveMembers><gml:LineString><gml:posList>5 6 7 8</gml:posList></gml:LineString></gml:curveMembers></gml:MultiCurve></a:g>',
  '<a:g><gml:MultiPolygon srsName="urn:ogc:def:crs:EPSG::25833"><gml:polygonMember><gml:Polygon><gml:outerBoundaryIs><gml:LinearRing><gml:coordinates>0,0 9,0 9,9 0,0</gml:coordinates></gml:LinearRing></gml:outerBoundaryIs><gml:innerBoundaryIs><gml:LinearRing><gml:coordinates>2,1 5,1 5,4 2,1</gml:coordinates></gml:LinearRing></gml:innerBoundaryIs></gml:Polygon></gml:polygonMember></gml:MultiPolygon></a:g>',
  '<a:g><gml:MultiSurface srsName="urn:ogc:def:crs:EPSG::25833"><gml:surfaceMember><gml:Polygon><gml:exterior><gml:LinearRing><gml:posList>0 0 9 0 9 9 0 0</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon></gml:surfaceMember><gml:surfaceMembers><gml:Polygon><gml:exterior><gml:LinearRing><gml:posList>0 0 9 0 9 9 0 0</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon></gml:surfaceMembers></gml:MultiSurface></a:g>',
  '<a:s>no geometry</a:s>',
]

export const RULES = `<?xml version="1.0" encoding="UTF-8"?>
<a:FeatureCollection xmlns:a="http://example.com/a" xmlns:gml="http://www.opengis.net/gml/3.2" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
${MEMBERS.map((member, i) => `<gml:featureMember><a:thing gml:id="t.${i}">${member}</a:thing></gml:featureMember>`).join('\n')}
</a:FeatureCollection>
`
